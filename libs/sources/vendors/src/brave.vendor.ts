import { z } from 'zod';
import { pageList, pagesOf } from './vendor-words.js';
import { defineService, defineVendor, type Meaning } from './vendor.js';

const pages = pageList({ url: 'url', snippet: 'description', at: 'page_age' });
const cost = () => ({ unit: 'brave_query', amount: 1 });
const price = '1 query';
const refusal = z.object({ error: z.object({ code: z.string() }) });

export const brave = defineVendor({
  id: 'brave',
  title: 'Brave Search',
  base: 'https://api.search.brave.com',
  docs: 'https://api-dashboard.search.brave.com/app/documentation',
  key: { env: 'BRAVE_KEY', header: 'X-Subscription-Token' },
  // Limits of the smallest paid plan; on a smaller one the vendor responds with 429, and calls wait.
  limits: { perSecond: 20, concurrency: 10 },
  services: {
    webSearch: defineService('webSearch', {
      needs: 'a query',
      price,
      // Source: the vendor's reference; more than 20 web results, or 50 news results, are rejected.
      request: ({ query, limit = 10 }) => ({
        method: 'GET',
        path: '/res/v1/web/search',
        query: { q: query, count: Math.min(limit, 20) },
      }),
      // Without results, `web` is missing.
      answer: z.object({ type: z.literal('search'), web: z.object({ results: pages }).nullish() }),
      map: ({ web }, input) => pagesOf(web?.results ?? [], input),
      cost,
    }),
    newsSearch: defineService('newsSearch', {
      needs: 'a query',
      price,
      request: ({ query, limit = 10 }) => ({
        method: 'GET',
        path: '/res/v1/news/search',
        query: { q: query, count: Math.min(limit, 50) },
      }),
      answer: z.object({ type: z.literal('news'), results: pages.nullish() }),
      map: ({ results }, input) => pagesOf(results ?? [], input),
      cost,
    }),
  },
  // A wrong key has status 422, like a query that is too long.
  meaningOf: (_status, body): Meaning | null => {
    const code = refusal.safeParse(body).data?.error.code ?? '';
    if (/TOKEN|SUBSCRIPTION|OPTION_NOT_IN_PLAN/.test(code)) return 'auth';
    return /QUOTA|USAGE/.test(code) ? 'credits' : null;
  },
  // One number per window, such as "1, 1419704": seconds until the window that is used up allows a call again.
  pauseMs: (header) => {
    const [left, seconds] = ['x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) =>
      (header(name) ?? '').split(',').map((each) => Number.parseInt(each, 10)),
    );
    const waits = seconds!.filter((each, i) => Number.isFinite(each) && !(left![i]! > 0));
    return waits.length > 0 ? Math.max(...waits) * 1000 : undefined;
  },
});
