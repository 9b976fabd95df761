import { z } from 'zod';
import { listOf } from '@quarry/engine';
import { pagesOf } from './vendor-words.js';
import { defineService, defineVendor, type Meaning, type VendorService } from './vendor.js';

const answer = z.object({
  results: listOf(
    z.object({
      url: z.string(),
      title: z.string().nullish(),
      publishedDate: z.string().nullish(),
      highlights: listOf(z.string()).nullish(),
    }),
  ),
  costDollars: z.object({ total: z.number() }).nullish(),
});
const refusal = z.object({ tag: z.string() });

function searchService(name: 'webSearch' | 'newsSearch', category?: string): VendorService {
  return defineService(name, {
    needs: 'a query',
    price: 'in US dollars, as each answer says',
    request: ({ query, limit = 10 }) => ({
      method: 'POST',
      path: '/search',
      body: { query, numResults: limit, ...(category ? { category } : {}), contents: { highlights: true } },
    }),
    answer,
    map: ({ results }, input) =>
      pagesOf(
        results.map(({ url, title, publishedDate, highlights }) => ({
          url,
          title,
          snippet: highlights?.[0],
          at: publishedDate,
        })),
        input,
      ),
    cost: ({ costDollars }) => (costDollars ? { unit: 'usd', amount: costDollars.total } : null),
  });
}

export const exa = defineVendor({
  id: 'exa',
  title: 'Exa',
  base: 'https://api.exa.ai',
  docs: 'https://docs.exa.ai/reference/search',
  key: { env: 'EXA_KEY', header: 'x-api-key' },
  limits: { perSecond: 10, concurrency: 10 },
  services: { webSearch: searchService('webSearch'), newsSearch: searchService('newsSearch', 'news') },
  // A query that the vendor's rules forbid is an error of this query, not of the key.
  meaningOf: (_status, body): Meaning | null =>
    refusal.safeParse(body).data?.tag === 'PROHIBITED_CONTENT' ? 'rejected' : null,
});
