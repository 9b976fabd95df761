import { afterAll, describe, expect, it } from '@jest/globals';
import { HostTurns, OutboundError, type OutboundAnswer, type OutboundClient } from '@quarry/safe-http';
import { printMeasurement, measureMedian, TEXT_CPU_MS_MAX } from '@quarry/test-servers';
import { NewsSearchProvider } from '../text/news-search.provider.js';
import { PageReader } from './page-reader.js';

/** Limit of `PageReader`. */
const BYTES_MAX = 2_000_000;
const full = (unit: string, bytes = BYTES_MAX - 2_000): string =>
  unit.repeat(Math.floor(bytes / unit.length));
const html = (head: string, body = ''): string =>
  `<html><head><title>a</title>${head}</head><body>${body}</body></html>`;
const json = (text: string): string => `<script type="application/ld+json">${text}</script>`;

/** Pages with as much data as a page can have: values, names, addresses, words. */
const PAGES: Record<string, string> = {
  'JSON-LD of numbers in twenty scripts': html(full(json(`[${full('1,', 99_000)}1]`))),
  'JSON-LD of objects in twenty scripts': html(full(json(`[${full('{},', 99_000)}1]`))),
  'JSON-LD of texts': html(full(json(`[${full('"",', 99_000)}1]`))),
  'JSON-LD of names': html(
    full(json(`{${Array.from({ length: 9_000 }, (_, at) => `"n${at}":0`).join(',')}}`)),
  ),
  'microdata of many names': html(
    '',
    `<p itemscope><b itemprop="${Array.from({ length: 250_000 }, (_, at) => `n${at}`).join(' ')}">x</b></p>`,
  ),
  'microdata of many nodes': html('', full('<p itemscope><b itemprop=a>x</b></p>')),
  'links below a long base': html(
    `<base href="https://a.example/${'b'.repeat(200_000)}/">`,
    full('<a href=x?y>z</a>', 700_000),
  ),
  'long addresses': html('', full(`<a href="https://a.example/${'b'.repeat(1_900)}">z</a>`)),
  'long addresses of scripts': html(full(`<script src="${'b'.repeat(60)}"></script>`)),
  'pictures below a base': html(
    '<base href="https://a.example/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/">',
    full('<img src=x>', 500_000),
  ),
  'words that are escaped': html('', `<p>${full('*_ ')}</p>`),
  'a word of many characters': html('', `<p>${full('é中')}</p>`),
  'feeds and metadata': html(
    full('<link rel=alternate type="application/rss+xml" href=a><meta name=a content=b>'),
  ),
  'telephone numbers': html('', full('<p>+49 30 1234567 Ada</p>', 30_000)),
};
const FEED = `<rss><channel>${full(`<item><title>${'ada '.repeat(250)}</title><link>https://a.example/${'b'.repeat(400)}</link><description>${'b '.repeat(500)}</description></item>`)}</channel></rss>`;
const SITE_MAP = `<urlset>${full(`<url><loc>https://a.example/${'b'.repeat(200)}</loc><lastmod>2026-01-02</lastmod></url>`)}</urlset>`;

interface Sent {
  body: string;
  type?: string;
}

/** Responses of servers by host: one reader has threads for all of them. No robots.txt forbids anything. */
const sent = new Map<string, Sent>();
const client = {
  sendRequest: async ({
    url,
    mayRead,
  }: {
    url: string;
    mayRead?: (url: URL) => Promise<void>;
  }): Promise<OutboundAnswer> => {
    await mayRead?.(new URL(url));
    const { body, type = 'text/html' } = sent.get(new URL(url).host)!;
    const isRobots = url.endsWith('/robots.txt');
    return {
      url,
      status: isRobots ? 404 : 200,
      headers: new Headers({ 'content-type': type }) as never,
      bytes: isRobots ? Buffer.alloc(0) : Buffer.from(body),
    };
  },
} as unknown as OutboundClient;
const reader = new PageReader(client, 'Quarry', { turns: new HostTurns(0) });
afterAll(() => reader.close());

/** @returns the address of a new host that sends this response */
function addressOf(answer: Sent): string {
  const host = `h${sent.size}.example`;
  sent.set(host, answer);
  return `https://${host}/`;
}

const limits = () => ({ signal: AbortSignal.timeout(60_000) });

/** Measures the CPU time of the calling thread: that of the parsing thread does not count. */
async function cost(name: string, read: () => Promise<unknown>): Promise<void> {
  let end = 'read';
  const cpuMs = await measureMedian(async () => {
    await read().catch((error: unknown) => {
      if (!(error instanceof OutboundError)) throw error;
      end = error.message;
    });
  }, TEXT_CPU_MS_MAX);
  printMeasurement(`${name}: ${cpuMs.toFixed(0)} ms, ${end}`);
  expect(cpuMs).toBeLessThan(TEXT_CPU_MS_MAX);
}

describe('transferring a page from its thread to the main thread', () => {
  it.each(Object.entries(PAGES))('is cheap: %s', async (name, page) => {
    const address = addressOf({ body: page });
    // Everything that `read` returns, and the text.
    await cost(name, () => reader.withText.readPage(address, limits()));
  });

  it('is cheap: a site map', async () => {
    const address = addressOf({ body: SITE_MAP, type: 'application/xml' });
    await cost('a site map', async () =>
      reader.siteMapOf(await reader.fetchPage(address, limits()), limits()),
    );
  });

  it('is cheap: three feeds of a site, and a search in them', async () => {
    const { host } = new URL(addressOf({ body: FEED, type: 'application/rss+xml' }));
    const news = new NewsSearchProvider({ reader, client, feedUrl: null });
    const input = { query: `site:${host} zeta` };
    await cost('feeds', () =>
      news.answerCall({ service: 'newsSearch', input, searchId: 's', ...limits() } as never),
    );
  });
});
