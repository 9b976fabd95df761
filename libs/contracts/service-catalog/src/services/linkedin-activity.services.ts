import { z } from 'zod';
import type { SlowService } from '../service-definition.js';

const input = z.strictObject({
  linkedin_url: z.string().max(500).describe('LinkedIn profile of the person'),
  limit: z.int().min(1).max(100).optional().describe('Maximum number of items; 20 by default'),
});
type Input = z.infer<typeof input>;

const post = { post_url: z.string(), post_author: z.string().nullable(), at: z.string() };

/** Defines the service for comments or reactions; they differ only in the content of an item. */
function activityService(
  service: Pick<SlowService, 'name' | 'title' | 'description' | 'queue' | 'promptPattern'> & {
    items: string;
    item: z.ZodType;
  },
): SlowService<Input> {
  const { items, item, ...naming } = service;
  return {
    ...naming,
    mode: 'slow',
    category: 'linkedin',
    input,
    output: z.strictObject({ found: z.boolean(), [items]: z.array(item), provider: z.string() }),
    examples: [{ linkedin_url: 'https://www.linkedin.com/in/sandbox-ada-lovelace', limit: 10 }],
    cellField: `${items}.post_url`,
    chargeRule: '2 credits when there is activity, nothing when there is none.',
    reuseSeconds: 0,
    price: { unit: 'call', hit: 2000, miss: 0, max: 2000 },
    worstCase: () => 2000,
    charge: (_input, { found }) => (found ? 2000 : 0),
    tooThin: ({ linkedin_url: url }) => (url.trim() === '' ? 'Give the LinkedIn profile of a person.' : null),
    reuseKey: () => null,
    deadlineMs: 180_000,
  };
}

export const getLinkedInUserComments = activityService({
  name: 'getLinkedInUserComments',
  title: 'Comments of a LinkedIn user',
  description: 'Lists the latest comments that a person wrote on LinkedIn.',
  queue: 'service-get-linkedin-user-comments',
  promptPattern: /\bcomment\w*\b/i,
  items: 'comments',
  item: z.strictObject({ ...post, text: z.string() }),
});

export const getLinkedInUserReactions = activityService({
  name: 'getLinkedInUserReactions',
  title: 'Reactions of a LinkedIn user',
  description: 'Lists the latest posts that a person reacted to on LinkedIn.',
  queue: 'service-get-linkedin-user-reactions',
  promptPattern: /\b(?:reaction\w*|likes?|liked|reacted)\b/i,
  items: 'reactions',
  item: z.strictObject({ ...post, reaction: z.string() }),
});
