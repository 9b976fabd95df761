import type { VendorExchange } from '@quarry/test-servers';
import { ADA, ADA_PROFILE, got, type VendorFixture } from './fixtures.fixture.js';

const run = (status: string) => ({
  data: { id: 'run-1', actId: 'act-1', status, defaultDatasetId: 'set-1' },
});
const read = (status: string) => got('/v2/actor-runs/run-1', undefined, run(status));
const post = {
  linkedinUrl: 'https://www.linkedin.com/posts/halbrook_pumps-activity-1',
  author: { type: 'profile', name: 'Tom Reyes' },
  postedAt: { date: '2026-03-04T09:10:11.000Z' },
};

/** Calls of a run: started, polled twice, and read. */
function runs(actor: string, items: object[]): VendorExchange[] {
  return [
    {
      method: 'POST',
      path: `/v2/acts/${actor}/runs`,
      query: { maxItems: '5' },
      body: { profiles: [ADA_PROFILE], maxItems: 5 },
      reply: { status: 201, body: run('READY') },
    },
    read('RUNNING'),
    read('SUCCEEDED'),
    got('/v2/datasets/set-1/items', { format: 'json', clean: 'true', limit: '100' }, items),
  ];
}

const shared = { input: { linkedin_url: ADA_PROFILE, limit: 5 }, miss: { body: [] }, skipped: ADA };
const item = { post_url: post.linkedinUrl, post_author: 'Tom Reyes' };
const cost = { unit: 'apify_item', amount: 1 };

export const apify: VendorFixture = {
  services: {
    getLinkedInUserComments: {
      ...shared,
      output: { comments: [{ ...item, at: '2026-03-05T10:00:00.000Z', text: 'Well pumped.' }] },
      cost,
      found: runs('harvestapi~linkedin-profile-comments', [
        {
          id: '1',
          linkedinUrl: post.linkedinUrl,
          commentary: 'Well pumped.',
          createdAt: '2026-03-05T10:00:00.000Z',
          post,
        },
      ]),
    },
    getLinkedInUserReactions: {
      ...shared,
      output: { reactions: [{ ...item, at: '2026-03-04T09:10:11.000Z', reaction: 'celebrate' }] },
      cost,
      found: runs('harvestapi~linkedin-profile-reactions', [
        { id: '1_reaction', action: 'Ada Okafor celebrates this', linkedinUrl: post.linkedinUrl, post },
      ]),
    },
  },
  badKey: { status: 401, body: { error: { type: 'user-or-token-not-found' } } },
  noCredits: { status: 403, body: { error: { type: 'not-enough-usage-to-run-paid-actor' } } },
  rate: { status: 429, body: { error: { type: 'rate-limit-exceeded' } } },
};
