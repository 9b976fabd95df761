import { foldWords, singularOf } from '@quarry/vocabulary';
import { OutboundError, type OutboundClient } from '@quarry/safe-http';
import { parse } from 'tldts';
import {
  answerOf,
  type ProviderAnswer,
  type ProviderCall,
  type LookupProvider,
  ProviderFailure,
} from '@quarry/engine';
import { pageFailure, readHome } from '../pages/page-failure.js';
import type { FetchedFile, PageReader } from '../pages/page-reader.js';
import type { FeedItem } from '../pages/page.js';

const LIMIT_DEFAULT = 10;
const FEEDS_MAX = 3;
const FEED_BYTES_MAX = 2_000_000;
/** Common feed paths, for sites that link no feed. */
const USUAL_PATHS = ['/feed', '/rss.xml', '/atom.xml'];
/** Site within a query: `site:halbrook.com pumps`, `https://halbrook.com/blog`. */
const SITE = /^site:((?:https?:\/\/)?[^\s:/]+(?::\d+)?(?:\/\S*)?)$|^(https?:\/\/\S+)$/iu;
/** Site without a prefix, used when the query cannot be answered otherwise. */
const BARE_SITE = /^(?:[\w-]+\.)+[\w-]{2,}(?:\/\S*)?$/u;

export interface NewsSearchParts {
  reader: PageReader;
  client: OutboundClient;
  /** Address of a news search feed, with `{query}` in it; null for none. */
  feedUrl: string | null;
}

/**
 * Implements newsSearch with the feeds of a site in the query, else with a news search feed that the operator configured.
 * Free public feeds forbid this use, so there is no default, and other queries fail because no provider serves them.
 */
export class NewsSearchProvider implements LookupProvider {
  readonly id = 'feeds';
  readonly services = ['newsSearch'];

  constructor(private readonly parts: NewsSearchParts) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { query, limit = LIMIT_DEFAULT } = input as { query: string; limit?: number };
    const { site, words } = readQuery(query, this.parts.feedUrl === null);
    const entries = site
      ? (await this.ofSite(site, signal)).filter((entry) => isAbout(entry, words))
      : await this.searchFeed(query, signal);
    const items = [...new Map(entries.map((entry) => [entry.url, entry])).values()]
      .sort((a, b) => (b.published_at ?? '').localeCompare(a.published_at ?? ''))
      .slice(0, limit);
    return answerOf(this.id, items.length > 0, { items });
  }

  /** Returns entries of the feeds that a page links, or of the address itself when it is a feed. */
  private async ofSite(site: string, signal: AbortSignal): Promise<FeedItem[]> {
    const { reader } = this.parts;
    const given = await reader.fetchPage(site, { signal }).catch(pageFailure(this.id));
    if (isFeed(given)) return reader.feedOf(given, { signal }).catch(pageFailure(this.id));
    const page = await readHome(this.id, reader, site, signal);
    if (!page) return [];
    const { feeds, url } = page;
    const urls = feeds.length > 0 ? feeds : USUAL_PATHS.map((path) => new URL(path, url).href);
    const lists = await Promise.all(
      urls.slice(0, FEEDS_MAX).map(async (each) => {
        try {
          const file = await reader.fetchPage(each, { signal });
          return file.status === 200 && isFeed(file) ? await reader.feedOf(file, { signal }) : [];
        } catch (error) {
          if (error instanceof OutboundError) return [];
          throw error;
        }
      }),
    );
    return lists.flat();
  }

  /** Reads the operator's feed. It is used like a vendor's API, so robots.txt does not apply. */
  private async searchFeed(query: string, signal: AbortSignal): Promise<FeedItem[]> {
    const { client, reader, feedUrl } = this.parts;
    if (feedUrl === null)
      throw new ProviderFailure(
        'provider_unavailable',
        'Without a news provider, only a query that names a site, such as "halbrook.com pumps", can be answered.',
        { provider: this.id },
      );
    const url = feedUrl.replaceAll('{query}', encodeURIComponent(query));
    const answer = await client
      .sendRequest({ url, signal, bytesMax: FEED_BYTES_MAX })
      .catch(pageFailure(this.id));
    // A page with status 200 may be one that asks for consent, or whether a person reads it.
    if (answer.status !== 200 || !isFeed(answer))
      throw new ProviderFailure('provider_unavailable', 'The news feed does not answer.', {
        provider: this.id,
        isTransient: true,
      });
    const file = { ...answer, headers: Object.fromEntries(answer.headers) };
    return reader.feedOf(file, { signal }).catch(pageFailure(this.id));
  }
}

/**
 * @param isBareSite true when a word such as `halbrook.com` is a site; "Booking.com" may as well be the subject of the news
 * @returns the first site in a query, and the other words
 */
export function readQuery(query: string, isBareSite: boolean): { site: string | null; words: string[] } {
  const parts = query.trim().split(/\s+/);
  for (const [at, part] of parts.entries()) {
    const [, marked, address] = SITE.exec(part) ?? [];
    const bare = isBareSite && BARE_SITE.test(part) && parse(part).isIcann ? part : undefined;
    const site = marked ?? address ?? bare;
    if (site !== undefined) return { site, words: foldWords(parts.toSpliced(at, 1).join(' ')) };
  }
  return { site: null, words: foldWords(query) };
}

/** @returns whether an entry contains all of the words, ignoring plural endings */
function isAbout({ title, snippet }: FeedItem, words: readonly string[]): boolean {
  const own = new Set(foldWords(`${title ?? ''} ${snippet ?? ''}`).map(singularOf));
  return words.every((word) => own.has(singularOf(word)));
}

function isFeed({ bytes }: Pick<FetchedFile, 'bytes'>): boolean {
  return /<(rss|feed|rdf:RDF)[\s>]/.test(bytes.subarray(0, 2048).toString('latin1'));
}
