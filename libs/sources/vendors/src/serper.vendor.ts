import { z } from 'zod';
import { pageList, pagesOf } from './vendor-words.js';
import { defineService, defineVendor, type Meaning } from './vendor.js';

const pages = pageList({ url: 'link', snippet: 'snippet', at: 'date' }).default([]);
/** The parameters of the request, which every response repeats. */
const searchParameters = z.looseObject({});
const credits = z.number().nullish();
const cost = (answer: { credits?: number | null | undefined }) => ({
  unit: 'serper_credit',
  amount: answer.credits ?? 1,
});
const price = '1 Serper credit for ten pages, 2 for more';
const refusal = z.object({ message: z.string() });

export const serper = defineVendor({
  id: 'serper',
  title: 'Serper',
  base: 'https://google.serper.dev',
  docs: 'https://serper.dev/playground',
  key: { env: 'SERPER_KEY', header: 'X-API-KEY' },
  limits: { perSecond: 50, concurrency: 20 },
  services: {
    webSearch: defineService('webSearch', {
      needs: 'a query',
      price,
      request: ({ query, limit = 10 }) => ({
        method: 'POST',
        path: '/search',
        body: { q: query, num: limit },
      }),
      answer: z.object({ searchParameters, organic: pages, credits }),
      map: ({ organic }, input) => pagesOf(organic, input),
      cost,
    }),
    newsSearch: defineService('newsSearch', {
      needs: 'a query',
      price,
      request: ({ query, limit = 10 }) => ({ method: 'POST', path: '/news', body: { q: query, num: limit } }),
      answer: z.object({ searchParameters, news: pages, credits }),
      map: ({ news }, input) => pagesOf(news, input),
      cost,
    }),
  },
  // An account without credits has status 400, like an invalid query.
  meaningOf: (_status, body): Meaning | null =>
    /not enough credits/i.test(refusal.safeParse(body).data?.message ?? '') ? 'credits' : null,
});
