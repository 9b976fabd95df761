import { constants, createGunzip } from 'node:zlib';
import { entriesAtMost, KeyedSemaphore, THREAD_FLAGS } from '@quarry/resilience';
import {
  HostTurns,
  OutboundError,
  readingOrganisation,
  Robots,
  UnknownHostError,
  type OutboundClient,
} from '@quarry/safe-http';
import { LRUCache } from 'lru-cache';
import { Piscina } from 'piscina';
import type { PageRenderer } from './page-renderer.js';
import type {
  AnsweredPage,
  FeedItem,
  Page,
  PageArticle,
  PageSource,
  PageText,
  ReadOptions,
  ReadPage,
  SiteMapEntries,
} from './page.js';

// At most 2 MB and five seconds per page, so that no page uses up the memory or time of the process.
const BYTES_MAX = 2_000_000;
const PARSE_MS = 5_000;
/** Milliseconds after which a thread that has not started is given up. */
const LOAD_MS = 60_000;
/** Maximum number of threads: few pages are parsed at once, and each thread takes about 60 MB. */
const THREADS_MAX = 3;
/** Maximum number of threads of one organisation, so that its slow pages leave a thread for others. */
const THREADS_OF_ONE_MAX = 2;
/** Milliseconds that a page that could not be parsed is not retried: an hour. */
const TANGLED_KEPT_MS = 60 * 60_000;
const TANGLED_KEPT = 10_000;
const THREAD_IDLE_MS = 30_000;
const TEXT = /^(text\/(html|plain|markdown)|application\/xhtml\+xml)/i;
/** Number of bytes at the start of a page in which its charset and a redirect are searched. */
const HEAD_BYTES = 4_096;
/** Number of characters that show whether a page without a charset is UTF-8. */
const SAMPLE_CHARACTERS = 64_000;
/** Maximum number of redirects by an element of a page, and of seconds after which one counts as a redirect. */
const REFRESHES_MAX = 2;
const REFRESH_SECONDS_MAX = 5;

const TANGLED = 'The page is too large or too complex to be read.';
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Response of an address. */
export interface FetchedFile {
  url: string;
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

/** Number of requests to a host without a pause: a home page and one that it links, as in a browser. */
const BURST = 2;

export interface PageReaderOptions {
  turns?: HostTurns;
  /** Runs the scripts of pages; null when no browser is available. */
  renderer?: PageRenderer | null;
}

/**
 * Reads pages of sites politely: according to robots.txt and with rate limits. Pages are parsed outside the main thread.
 */
export class PageReader implements PageSource {
  private readonly places = new KeyedSemaphore({ size: THREADS_MAX, each: THREADS_OF_ONE_MAX });
  /** Addresses of pages that could not be parsed. */
  private readonly tangled = new LRUCache<string, true>({
    ...entriesAtMost(TANGLED_KEPT),
    ttl: TANGLED_KEPT_MS,
  });
  private readonly turns: HostTurns;
  /** null when scripts of pages cannot be run. */
  readonly renderer: PageRenderer | null;
  private readonly robots: Robots;
  private threads: Piscina | null = null;
  /** Source of the same pages with their text. */
  readonly withText: PageSource<ReadPage & PageText> = {
    readPage: async (url, { signal }) => this.parsedText(await this.answerOf(url, signal), signal),
    findPage: async (url, { signal }) => {
      const answered = await this.answerOf(url, signal);
      return answered.status < 400 ? this.parsedText(answered, signal) : null;
    },
  };

  /** @param product user agent name that robots.txt files use for this program */
  constructor(
    private readonly client: OutboundClient,
    product: string,
    { turns = new HostTurns(undefined, BURST), renderer = null }: PageReaderOptions = {},
  ) {
    this.turns = turns;
    this.renderer = renderer;
    this.robots = new Robots(client, product);
  }

  async readPage(url: string, { signal }: ReadOptions): Promise<ReadPage> {
    return this.parsedFacts(await this.answerOf(url, signal), signal);
  }

  async findPage(url: string, { signal }: ReadOptions): Promise<ReadPage | null> {
    const answered = await this.answerOf(url, signal);
    return answered.status < 400 ? this.parsedFacts(answered, signal) : null;
  }

  /**
   * Reads the text of a page, without the rest of its data.
   * @throws OutboundError
   */
  async readArticle(url: string, { signal }: ReadOptions): Promise<PageArticle & AnsweredPage> {
    return this.parsedArticle(await this.answerOf(url, signal), signal);
  }

  /**
   * Like {@link readArticle}, after running the page's scripts. It is fetched without them first, so that robots.txt and
   * redirects are checked as for any page; only an existing HTML page is rendered.
   * @throws OutboundError
   */
  async renderPage(
    url: string,
    renderer: PageRenderer,
    { signal }: ReadOptions,
  ): Promise<PageArticle & AnsweredPage> {
    const plain = await this.answerOf(url, signal);
    const isHtml = /html/i.test(plain.headers['content-type'] ?? 'text/html');
    if (plain.status >= 400 || !isHtml) return this.parsedArticle(plain, signal);
    const run = await renderer.renderPage(plain.url, signal);
    // Scripts may have navigated to another address, where other rules apply.
    if (run.url !== plain.url) await this.robots.checkAllowed(new URL(run.url));
    return this.parsedArticle(run, signal);
  }

  private async answerOf(
    url: string,
    signal: AbortSignal,
    refreshesLeft = REFRESHES_MAX,
  ): Promise<AnsweredPage> {
    const { bytes, ...answer } = await this.fetchPage(url, { signal });
    const type = answer.headers['content-type'] ?? 'text/html';
    const html = TEXT.test(type) ? decodePage(bytes, type) : null;
    if (html === null || html.startsWith('%PDF-'))
      throw new OutboundError('unreadable', 'The address is not a text page.');
    const next = refreshesLeft > 0 && answer.status < 400 ? refreshOf(html, answer.url) : null;
    if (next !== null) return this.answerOf(next, signal, refreshesLeft - 1);
    return { ...answer, html: /html/i.test(type) || /^\s*</.test(html) ? html : preformatted(html) };
  }

  private async parsedFacts(answered: AnsweredPage, signal: AbortSignal): Promise<ReadPage> {
    return { ...((await this.parsePage('default', markupOf(answered), signal)) as Page), ...answered };
  }

  private async parsedText(answered: AnsweredPage, signal: AbortSignal): Promise<ReadPage & PageText> {
    const page = (await this.parsePage('parseText', markupOf(answered), signal)) as Page & PageText;
    return { ...page, ...answered };
  }

  private async parsedArticle(
    answered: AnsweredPage,
    signal: AbortSignal,
  ): Promise<PageArticle & AnsweredPage> {
    const article = (await this.parsePage('parseArticle', markupOf(answered), signal)) as PageArticle;
    return { ...article, ...answered };
  }

  /**
   * @param file a feed as received
   * @throws OutboundError when it is too large or too complex
   */
  async feedOf({ bytes, url, headers }: FetchedFile, { signal }: ReadOptions): Promise<FeedItem[]> {
    const xml = decodePage(bytes, headers['content-type'] ?? '');
    return (await this.parsePage('parseFeed', { xml, url }, signal)) as FeedItem[];
  }

  /**
   * @param file a site map as received, possibly compressed with gzip. Source: sitemaps.org, "Sitemap file requirements"
   * @throws OutboundError when it is too large, too complex or invalid
   */
  async siteMapOf({ bytes, url }: FetchedFile, { signal }: ReadOptions): Promise<SiteMapEntries> {
    const xml = (isGzip(bytes) ? await unpackBytes(bytes) : bytes).toString('utf8');
    return (await this.parsePage('parseSiteMap', { xml, url }, signal)) as SiteMapEntries;
  }

  /** Like {@link readPage}, for other files than pages: a site map, a feed. */
  async fetchPage(url: string, options: ReadOptions): Promise<FetchedFile> {
    if (SCHEME.test(url)) return this.fetchAt(url, options);
    try {
      return await this.fetchAt(`https://${url}`, options);
    } catch (error) {
      // Some domains have an address only under this name.
      if (error instanceof UnknownHostError && !/^www\./i.test(url))
        return this.fetchAt(`https://www.${url}`, options);
      // Falls back to http for a site without TLS.
      if (error instanceof OutboundError && error.fault === 'unreachable')
        return this.fetchAt(`http://${url}`, options);
      throw error;
    }
  }

  private async fetchAt(url: string, { signal }: ReadOptions): Promise<FetchedFile> {
    this.checkTangled(URL.parse(url)?.href ?? url);
    const leaves: Array<() => void> = [];
    try {
      const answer = await this.client.sendRequest({
        url,
        headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5' },
        signal,
        bytesMax: BYTES_MAX,
        canCut: true,
        mayRead: async (hop) => {
          const pauseMs = await this.robots.checkAllowed(hop);
          // One turn at a time: the host of the previous hop is done.
          for (const leave of leaves.splice(0)) leave();
          leaves.push(await this.turns.takeTurn(hop.host, { pauseMs, signal }));
        },
      });
      return { ...answer, headers: Object.fromEntries(answer.headers) };
    } finally {
      for (const leave of leaves) leave();
    }
  }

  /** Returns the site maps listed in the site's robots.txt. */
  siteMaps(origin: string): Promise<readonly string[]> {
    return this.robots.siteMaps(origin);
  }

  async close(): Promise<void> {
    await Promise.all([this.robots.close(), this.threads?.destroy()]);
  }

  private checkTangled(url: string): void {
    if (this.tangled.has(url)) throw new OutboundError('unreadable', TANGLED);
  }

  private async parsePage(
    name: 'default' | 'parseText' | 'parseArticle' | 'parseFeed' | 'parseSiteMap',
    text: { url: string; html?: string; xml?: string },
    signal: AbortSignal,
  ): Promise<unknown> {
    // Redirects and scripts may lead to an address that has already failed to parse.
    this.checkTangled(text.url);
    this.threads ??= new Piscina({
      // The TypeScript file when the product runs from its sources.
      filename: new URL(`./page.worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url)
        .href,
      minThreads: 0,
      maxThreads: THREADS_MAX,
      idleTimeout: THREAD_IDLE_MS,
      execArgv: [...THREAD_FLAGS],
      // DOM trees become garbage immediately; without a limit, the young generation would never release their memory.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
    });
    // The time limit starts when a thread is free: waiting for other pages must not count against this one.
    const leave = await this.places.enter(readingOrganisation(), signal);
    // And after the thread has loaded its modules, which takes long on a busy machine.
    const begun = new Int32Array(new SharedArrayBuffer(4));
    const time = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const end = (): void => time.abort();
    void Promise.resolve(Atomics.waitAsync(begun, 0, 0, LOAD_MS).value).then((how) => {
      if (how === 'timed-out') end();
      else if (!isOver) timer = setTimeout(end, PARSE_MS);
    });
    try {
      return await this.threads.run(
        { ...text, begun },
        { name, signal: AbortSignal.any([signal, time.signal]) },
      );
    } catch (error) {
      signal.throwIfAborted();
      // A page whose parsing has not started does not count as failed.
      if (Atomics.load(begun, 0) === 1) this.tangled.set(text.url, true);
      throw new OutboundError('unreadable', TANGLED, error);
    } finally {
      isOver = true;
      clearTimeout(timer);
      leave();
    }
  }
}

function markupOf({ html, url }: AnsweredPage): Pick<AnsweredPage, 'html' | 'url'> {
  return { html, url };
}

/**
 * Decodes with the mark at the start of the bytes, else with the charset of the server or the page; without a known one as
 * UTF-8, or as windows-1252 when most of its other characters are not UTF-8. Source: HTML, section 13.2.3.
 */
function decodePage(bytes: Buffer, type: string): string {
  const head = withoutAside(bytes.subarray(0, HEAD_BYTES).toString('latin1'));
  const [mark] = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/.exec(head) ?? [];
  const charsets = [
    mark && MARKS[mark],
    /charset=["']?([\w-]+)/i.exec(type)?.[1],
    // A page in UTF-16 could not be searched for its charset, so it is another one.
    /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1]?.replace(/^utf-16.*/i, 'utf-8'),
    /^\s*<\?xml[^>]+encoding=["']([\w-]+)/i.exec(head)?.[1],
  ];
  for (const charset of charsets)
    try {
      if (charset) return new TextDecoder(charset).decode(bytes);
    } catch {
      // An unknown name: the next one counts.
    }
  const text = new TextDecoder().decode(bytes);
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const [lost, kept] = [/\ufffd/g, /[^\0-\x7f\ufffd]/g].map((each) => sample.match(each)?.length ?? 0);
  return lost! > kept! ? new TextDecoder('windows-1252').decode(bytes) : text;
}

const MARKS: Readonly<Record<string, string>> = {
  '\xef\xbb\xbf': 'utf-8',
  '\xff\xfe': 'utf-16le',
  '\xfe\xff': 'utf-16be',
};

/** Returns markup without comments and without parts for browsers that run no scripts. */
function withoutAside(head: string): string {
  return head.replace(/<!--[^]*?(?:-->|$)|<noscript[\s>][^]*?(?:<\/noscript>|$)/gi, '');
}

/** Returns a text that is no HTML as HTML, with its lines and its marks. */
function preformatted(text: string): string {
  return `<pre><code>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`;
}

/** Returns the address to which a page redirects at once; null for none. Source: HTML, section 4.2.5.3, Refresh state. */
function refreshOf(html: string, base: string): string | null {
  const head = withoutAside(html.slice(0, HEAD_BYTES));
  const [meta = ''] = /<meta\b[^>]*http-equiv=["']?refresh\b[^>]*>/i.exec(head) ?? [];
  const [, seconds, to] = /content=["']?\s*(\d+)[^;,>]*[;,]\s*url=["']?([^"'>]+)/i.exec(meta) ?? [];
  if (to === undefined || Number(seconds) > REFRESH_SECONDS_MAX) return null;
  const next = URL.parse(to.trim().replaceAll('&amp;', '&'), base);
  return next && /^https?:$/.test(next.protocol) && next.href !== base ? next.href : null;
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Decompresses up to the size limit of a page; truncated data is decompressed as far as possible. */
async function unpackBytes(bytes: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const unpacked = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  unpacked.end(bytes);
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length >= BYTES_MAX) break;
    }
  } catch (error) {
    throw new OutboundError('unreadable', 'The site map is not compressed as its name says.', error);
  }
  return Buffer.concat(chunks).subarray(0, BYTES_MAX);
}
