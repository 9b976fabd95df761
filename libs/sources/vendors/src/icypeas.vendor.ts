import { z } from 'zod';
import { listOf } from '@quarry/engine';
import { nameIn, textIn } from '@quarry/extraction';
import { domainIn } from './vendor-words.js';
import { defineService, defineVendor, definePoll, type JobState } from './vendor.js';

const STATES: Readonly<Record<string, JobState>> = {
  NONE: 'pending',
  SCHEDULED: 'pending',
  IN_PROGRESS: 'pending',
  FOUND: 'done',
  DEBITED: 'done',
  NOT_FOUND: 'miss',
  DEBITED_NOT_FOUND: 'miss',
  BAD_INPUT: 'rejected',
  INSUFFICIENT_FUNDS: 'credits',
  ABORTED: 'failed',
};
const CERTAINTIES: Readonly<
  Record<string, { status: 'verified' | 'catch_all' | 'unverified'; confidence: 'high' | 'medium' | 'low' }>
> = {
  ultra_sure: { status: 'verified', confidence: 'high' },
  very_sure: { status: 'verified', confidence: 'high' },
  sure: { status: 'verified', confidence: 'medium' },
  probable: { status: 'catch_all', confidence: 'medium' },
};
const reading = z.object({
  items: listOf(
    z.object({
      status: z.string(),
      results: z
        .object({ emails: listOf(z.object({ email: z.string(), certainty: z.string() })).default([]) })
        .nullish(),
    }),
  ).refine((items) => items.length > 0),
});

export const icypeas = defineVendor({
  id: 'icypeas',
  title: 'Icypeas',
  base: 'https://app.icypeas.com',
  docs: 'https://api-doc.icypeas.com/',
  // The header contains only the key, without a scheme.
  key: { env: 'ICYPEAS_KEY', header: 'Authorization' },
  limits: { perSecond: 10, concurrency: 10 },
  services: {
    getEmail: defineService('getEmail', {
      needs: 'first and last name with a domain or company',
      price: '1 Icypeas credit for an address found',
      request: (input) => {
        const name = nameIn(input);
        const place = domainIn(input) ?? textIn(input.company);
        if (!name || !place) return null;
        return {
          method: 'POST',
          path: '/api/email-search',
          body: { firstname: name.first, lastname: name.last, domainOrCompany: place },
        };
      },
      poll: definePoll({
        started: z.object({ success: z.literal(true), item: z.object({ _id: z.string().min(1) }) }),
        id: ({ item }) => item._id,
        read: (id) => ({ method: 'POST', path: '/api/bulk-single-searchs/read', body: { id } }),
        reading,
        state: ({ items }) => STATES[items[0]!.status] ?? 'failed',
        // Source: the vendor's rate limit of this endpoint.
        everyMs: 3_000,
        perMinute: 30,
      }),
      answer: reading,
      map: ({ items }) => {
        const [best] = items[0]!.results?.emails ?? [];
        if (!best) return null;
        return {
          email: best.email,
          ...(CERTAINTIES[best.certainty] ?? { status: 'unverified', confidence: 'low' }),
        };
      },
      cost: ({ items }) => ({ unit: 'icypeas_credit', amount: items[0]!.results?.emails.length ? 1 : 0 }),
    }),
  },
});
