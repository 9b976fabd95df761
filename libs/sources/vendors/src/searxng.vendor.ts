import { z } from 'zod';
import { listOf } from '@quarry/engine';
import { pageList, pagesOf } from './vendor-words.js';
import { defineService, defineVendor, type VendorService } from './vendor.js';

const answer = z.object({
  results: pageList({ url: 'url', snippet: 'content', at: 'publishedDate' }),
  unresponsive_engines: listOf(z.unknown()).nullish(),
});

function searchService(name: 'webSearch' | 'newsSearch', categories: string): VendorService {
  return defineService(name, {
    needs: 'a query; your own server, with the format json switched on',
    price: 'nothing',
    request: ({ query }) => ({
      method: 'GET',
      path: '/search',
      query: { q: query, format: 'json', categories },
    }),
    answer,
    // An engine that blocks the server, or times out, leaves the list empty without an error.
    state: ({ results, unresponsive_engines: silent }) =>
      results.length === 0 && silent?.length ? 'failed' : 'done',
    map: ({ results }, input) => pagesOf(results, input),
  });
}

export const searxng = defineVendor({
  id: 'searxng',
  title: 'SearXNG',
  base: { env: 'SEARXNG_URL' },
  docs: 'https://docs.searxng.org/dev/search_api.html',
  key: null,
  limits: { perSecond: 5, concurrency: 5 },
  services: {
    webSearch: searchService('webSearch', 'general'),
    newsSearch: searchService('newsSearch', 'news'),
  },
  // 403: the JSON format is disabled, which only the operator can change.
  meaning: { 403: 'auth' },
});
