import { z } from 'zod';
import { nameIn, textIn } from '@quarry/extraction';
import { domainIn } from './vendor-words.js';
import { defineService, defineVendor, definePoll } from './vendor.js';

const reading = z.object({
  status: z.enum(['pending', 'processing', 'completed', 'failed']),
  email: z.string().nullish(),
  qualification: z.string().nullish(),
});

export const enrow = defineVendor({
  id: 'enrow',
  title: 'Enrow',
  base: 'https://api.enrow.io',
  docs: 'https://enrow.readme.io/',
  key: { env: 'ENROW_KEY', header: 'x-api-key' },
  limits: { perSecond: 10, concurrency: 10 },
  services: {
    getEmail: defineService('getEmail', {
      needs: 'first and last name with a domain or company',
      price: '1 Enrow credit for a valid address',
      statuses: ['verified'],
      request: (input) => {
        const name = nameIn(input);
        const [domain, company] = [domainIn(input), textIn(input.company)];
        if (!name || !(domain ?? company)) return null;
        return {
          method: 'POST',
          path: '/email/find/single',
          body: {
            first_name: name.first,
            last_name: name.last,
            ...(domain ? { company_domain: domain } : { company_name: company }),
          },
        };
      },
      poll: definePoll({
        started: z.object({ id: z.string().min(1) }),
        id: ({ id }) => id,
        read: (id) => ({ method: 'GET', path: `/email/find/single/${encodeURIComponent(id)}` }),
        reading,
        state: ({ status }) => (status === 'completed' ? 'done' : status === 'failed' ? 'failed' : 'pending'),
        everyMs: 2_000,
      }),
      answer: reading,
      // Addresses that the vendor does not call valid bounce too often to be returned.
      map: ({ email, qualification }) =>
        email && qualification === 'valid' ? { email, status: 'verified', confidence: 'high' } : null,
      cost: ({ email }) => ({ unit: 'enrow_credit', amount: email ? 1 : 0 }),
    }),
  },
});
