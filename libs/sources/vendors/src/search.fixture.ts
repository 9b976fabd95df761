import { got, posted, type ServiceFixture, type VendorFixture } from './fixtures.fixture.js';

// All four web searches use the same query and result.
const input = { query: 'brewery pumps', limit: 5 };
const url = 'https://halbrook.example/pumps';
const [title, snippet] = ['Pumps for breweries', 'Quiet pumps, made in Halbrook.'];
const page = (at: string | null) => ({ items: [{ url, title, snippet, published_at: at }] });
const DAY = '2026-02-03T00:00:00.000Z';

const searched = (
  found: ServiceFixture['found'][number],
  miss: unknown,
  cost: ServiceFixture['cost'],
  at: string | null = DAY,
): ServiceFixture => ({ input, output: page(at), cost, found: [found], miss: { body: miss }, skipped: null });

const searx = (categories: string) =>
  searched(
    got(
      '/search',
      { q: 'brewery pumps', format: 'json', categories },
      {
        query: 'brewery pumps',
        results: [{ url, title, content: snippet, publishedDate: '2026-02-03T00:00:00', engine: 'one' }],
      },
    ),
    { query: 'brewery pumps', results: [] },
    null,
  );

export const searxng: VendorFixture = {
  services: { webSearch: searx('general'), newsSearch: searx('news') },
  badKey: { status: 403, text: 'Forbidden' },
  noCredits: null,
  rate: { status: 429, text: 'Too many requests' },
};

const bravePage = { url, title, description: snippet, page_age: '2026-02-03T00:00:00' };
const query = { q: 'brewery pumps', count: '5' };
const one = { unit: 'brave_query', amount: 1 };

export const brave: VendorFixture = {
  services: {
    webSearch: searched(
      got('/res/v1/web/search', query, { type: 'search', web: { type: 'search', results: [bravePage] } }),
      { type: 'search', query: { original: 'brewery pumps' } },
      one,
    ),
    newsSearch: searched(
      got('/res/v1/news/search', query, { type: 'news', results: [bravePage] }),
      { type: 'news', results: [] },
      one,
    ),
  },
  badKey: {
    status: 422,
    body: { type: 'ErrorResponse', error: { code: 'SUBSCRIPTION_TOKEN_INVALID', status: 422 } },
  },
  noCredits: { status: 402, body: { type: 'ErrorResponse', error: { code: 'QUOTA_LIMITED', status: 402 } } },
  rate: { status: 429, body: { type: 'ErrorResponse', error: { code: 'RATE_LIMITED', status: 429 } } },
};

const serperBody = { q: 'brewery pumps', num: 5 };
const serperCost = { unit: 'serper_credit', amount: 1 };
const searchParameters = { q: 'brewery pumps', type: 'search' };

export const serper: VendorFixture = {
  services: {
    webSearch: searched(
      posted('/search', serperBody, {
        searchParameters,
        organic: [{ title, link: url, snippet, date: 'Feb 3, 2026', position: 1 }],
        credits: 1,
      }),
      { searchParameters, organic: [], credits: 1 },
      serperCost,
    ),
    newsSearch: searched(
      posted('/news', serperBody, {
        searchParameters,
        news: [{ title, link: url, snippet, date: '2 days ago' }],
        credits: 1,
      }),
      { searchParameters, news: [], credits: 1 },
      serperCost,
      null,
    ),
  },
  badKey: { status: 403, body: { message: 'Unauthorized.', statusCode: 403 } },
  noCredits: { status: 400, body: { message: 'Not enough credits', statusCode: 400 } },
  rate: { status: 429, body: { message: 'Rate limit exceeded' } },
};

const exaSearch = (category: { category?: string }) =>
  searched(
    posted(
      '/search',
      { query: 'brewery pumps', numResults: 5, ...category, contents: { highlights: true } },
      {
        requestId: 'r-1',
        results: [{ id: url, url, title, publishedDate: DAY, highlights: [snippet] }],
        costDollars: { total: 0.007 },
      },
    ),
    { requestId: 'r-1', results: [], costDollars: { total: 0.005 } },
    { unit: 'usd', amount: 0.007 },
  );

export const exa: VendorFixture = {
  services: { webSearch: exaSearch({}), newsSearch: exaSearch({ category: 'news' }) },
  badKey: { status: 401, body: { requestId: 'r-1', error: 'Invalid API key', tag: 'INVALID_API_KEY' } },
  noCredits: { status: 402, body: { requestId: 'r-1', error: 'No credits', tag: 'NO_MORE_CREDITS' } },
  rate: { status: 429, body: { error: 'Too many requests' } },
};
