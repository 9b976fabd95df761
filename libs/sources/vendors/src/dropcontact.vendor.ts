import { z } from 'zod';
import { listOf } from '@quarry/engine';
import { nameIn, textIn } from '@quarry/extraction';
import { domainIn } from './vendor-words.js';
import { defineService, defineVendor, definePoll } from './vendor.js';

/**
 * Addresses with a qualification such as `nominative@pro`, `catch_all@pro` or `generic@pro`: kind of the mailbox, `@`, kind
 * of the domain.
 */
const emails = listOf(z.object({ email: z.string(), qualification: z.string().nullish() })).nullish();
const reading = z.object({
  success: z.boolean(),
  error: z.union([z.boolean(), z.string()]).optional(),
  data: listOf(z.object({ email: emails })).optional(),
});

type Reading = z.infer<typeof reading>;
const personal = ({
  data,
}: Reading): { email: string; qualification?: string | null | undefined } | undefined =>
  data?.[0]?.email?.find(({ qualification }) => /^(nominative|catch_all)@pro$/.test(qualification ?? ''));

export const dropcontact = defineVendor({
  id: 'dropcontact',
  title: 'Dropcontact',
  base: 'https://api.dropcontact.com',
  docs: 'https://developer.dropcontact.com/',
  key: { env: 'DROPCONTACT_KEY', header: 'X-Access-Token' },
  limits: { perSecond: 10, concurrency: 10 },
  services: {
    getEmail: defineService('getEmail', {
      needs: 'first and last name with a domain or company',
      price: '1 Dropcontact credit for a verified address',
      request: (input) => {
        const name = nameIn(input);
        const [website, company] = [domainIn(input), textIn(input.company)];
        if (!name || !(website ?? company)) return null;
        const contact = {
          first_name: name.first,
          last_name: name.last,
          ...(website ? { website } : {}),
          ...(company ? { company } : {}),
        };
        return { method: 'POST', path: '/v1/enrich/all', body: { data: [contact], siren: false } };
      },
      poll: definePoll({
        started: z.object({ success: z.literal(true), request_id: z.string().min(1) }),
        id: ({ request_id: id }) => id,
        read: (id) => ({ method: 'GET', path: `/v1/enrich/all/${encodeURIComponent(id)}` }),
        reading,
        // While a job is pending, the response has neither `success` nor an error.
        state: ({ success, error }) => (success ? 'done' : error ? 'failed' : 'pending'),
        everyMs: 5_000,
      }),
      answer: reading,
      map: (found) => {
        const best = personal(found);
        if (!best) return null;
        const isCatchAll = best.qualification?.startsWith('catch_all');
        return {
          email: best.email,
          status: isCatchAll ? 'catch_all' : 'verified',
          confidence: isCatchAll ? 'medium' : 'high',
        };
      },
      cost: (found) => ({ unit: 'dropcontact_credit', amount: personal(found) ? 1 : 0 }),
    }),
  },
  // 403: not enough credits for the whole request; 401: a wrong key.
  meaning: { 403: 'credits' },
});
