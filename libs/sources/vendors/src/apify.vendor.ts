import { z } from 'zod';
import { listOf } from '@quarry/engine';
import { profileIn, timeOf } from './vendor-words.js';
import {
  defineService,
  defineVendor,
  definePoll,
  type JobState,
  type Meaning,
  type VendorRequest,
} from './vendor.js';

const STATES: Readonly<Record<string, JobState>> = {
  READY: 'pending',
  RUNNING: 'pending',
  'TIMING-OUT': 'pending',
  ABORTING: 'pending',
  SUCCEEDED: 'done',
};
/** Number of items requested when the input has no limit. */
const ITEMS_DEFAULT = 20;
const ACTOR = /^[A-Za-z0-9._-]+[~/][A-Za-z0-9._-]+$/;

const run = z.object({
  data: z.object({ id: z.string().min(1), status: z.string(), defaultDatasetId: z.string() }),
});
const post = z.object({
  linkedinUrl: z.string(),
  author: z.object({ name: z.string().nullish() }).nullish(),
  postedAt: z.object({ date: z.string().nullish() }).nullish(),
});
/** Verbs that the site uses for a reaction: "Ada Lovelace celebrates this". */
const REACTIONS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\blikes?\b/i, 'like'],
  [/\bcelebrates?\b/i, 'celebrate'],
  [/\bsupports?\b/i, 'support'],
  [/\bloves?\b/i, 'love'],
  [/\binsightful\b/i, 'insightful'],
  [/\bfunny\b/i, 'funny'],
];

/**
 * Defines a service that starts a run and polls it, instead of waiting in one call: after a broken connection a run would
 * continue, and be charged.
 */
function runOf(
  actor: string,
  { linkedin_url: url, limit = ITEMS_DEFAULT }: { linkedin_url: string; limit?: number },
): VendorRequest | null {
  const profile = profileIn(url);
  if (profile === undefined) return null;
  return {
    method: 'POST',
    path: `/v2/acts/${encodeURIComponent(actor.replace('/', '~'))}/runs`,
    query: { maxItems: limit },
    body: { profiles: [profile], maxItems: limit },
  };
}

const poll = definePoll({
  started: run,
  id: ({ data }) => data.id,
  read: (id) => ({ method: 'GET', path: `/v2/actor-runs/${encodeURIComponent(id)}` }),
  reading: run,
  state: ({ data }) => STATES[data.status] ?? 'failed',
  result: ({ data }) => ({
    method: 'GET',
    path: `/v2/datasets/${encodeURIComponent(data.defaultDatasetId)}/items`,
    query: { format: 'json', clean: true, limit: 100 },
  }),
  everyMs: 3_000,
});

const needs = 'a LinkedIn profile';
const refusal = z.object({ error: z.object({ type: z.string() }) });

export const apify = defineVendor({
  id: 'apify',
  title: 'Apify',
  base: 'https://api.apify.com',
  docs: 'https://docs.apify.com/api/v2',
  key: {
    env: 'APIFY_KEY',
    header: 'Authorization',
    prefix: 'Bearer ',
    check: { method: 'GET', path: '/v2/users/me' },
  },
  limits: { perSecond: 30, concurrency: 20 },
  settings: {
    comments_actor: {
      default: 'harvestapi~linkedin-profile-comments',
      pattern: ACTOR,
      description:
        'Actor that lists comments, as owner~name; it must take and give what the default one does',
    },
    reactions_actor: {
      default: 'harvestapi~linkedin-profile-reactions',
      pattern: ACTOR,
      description:
        'Actor that lists reactions, as owner~name; it must take and give what the default one does',
    },
  },
  services: {
    getLinkedInUserComments: defineService('getLinkedInUserComments', {
      needs,
      price: 'what the actor takes for an item',
      request: (input, settings) => runOf(settings.comments_actor!, input),
      poll,
      answer: listOf(
        z.object({
          commentary: z.string().nullish(),
          createdAt: z.string(),
          linkedinUrl: z.string(),
          post: post.nullish(),
        }),
      ),
      map: (items, { limit = ITEMS_DEFAULT }) => {
        const comments = items
          .slice(0, limit)
          .flatMap(({ commentary, createdAt, linkedinUrl, post: about }) => {
            const at = timeOf(createdAt);
            if (at === null) return [];
            return [
              {
                post_url: about?.linkedinUrl ?? linkedinUrl,
                post_author: about?.author?.name ?? null,
                at,
                text: commentary ?? '',
              },
            ];
          });
        return comments.length > 0 ? { comments } : null;
      },
      cost: (items) => ({ unit: 'apify_item', amount: items.length }),
    }),
    getLinkedInUserReactions: defineService('getLinkedInUserReactions', {
      needs: `${needs}; the time of a reaction is that of its post`,
      price: 'what the actor takes for an item',
      request: (input, settings) => runOf(settings.reactions_actor!, input),
      poll,
      answer: listOf(
        z.object({ action: z.string().nullish(), linkedinUrl: z.string(), post: post.nullish() }),
      ),
      map: (items, { limit = ITEMS_DEFAULT }) => {
        const reactions = items.slice(0, limit).flatMap(({ action, linkedinUrl, post: about }) => {
          const at = timeOf(about?.postedAt?.date);
          if (at === null) return [];
          const reaction = REACTIONS.find(([verb]) => verb.test(action ?? ''))?.[1] ?? 'reacted';
          return [
            {
              post_url: about?.linkedinUrl ?? linkedinUrl,
              post_author: about?.author?.name ?? null,
              at,
              reaction,
            },
          ];
        });
        return reactions.length > 0 ? { reactions } : null;
      },
      cost: (items) => ({ unit: 'apify_item', amount: items.length }),
    }),
  },
  meaningOf: (_status, body): Meaning | null => {
    const type = refusal.safeParse(body).data?.error.type ?? '';
    return /not-enough-usage|usage-hard-limit|subscription|rent/.test(type) ? 'credits' : null;
  },
});
