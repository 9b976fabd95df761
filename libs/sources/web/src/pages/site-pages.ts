import { OutboundError } from '@quarry/safe-http';
import type { PageSource, ReadPage } from './page.js';

/** Milliseconds for all further pages together: a service within a request has 30 seconds. */
const FURTHER_MS = 15_000;

/** Selection of further pages of a site. */
export interface WantedPages {
  /** Pattern of a link's address or text. */
  link: RegExp;
  /** Pattern of pages that are read if `max` is not reached. */
  also?: RegExp;
  /** Maximum number of pages in addition to the home page. */
  max: number;
  /** Paths that are tried when no link matches, such as `/careers`. */
  paths?: readonly string[];
}

/**
 * Reads the home page of a site and some of its other pages, best matching links first. A further page that cannot be read
 * in time is skipped.
 * @returns the home page first; only existing pages, so the list is empty for a site without any
 * @throws OutboundError when the home page cannot be read, or when no page could be read and the status of the home page
 *   does not mean that it is missing
 */
export async function readSite<Read extends ReadPage>(
  reader: PageSource<Read>,
  site: string,
  { link, also, max, paths = [] }: WantedPages,
  signal: AbortSignal,
): Promise<Read[]> {
  const home = await reader.readPage(site, { signal });
  const own = home.links.filter(({ url }) => isOfSite(url, home.url));
  const fit = (wanted: RegExp): string[] =>
    own
      .filter(({ url, text }) => wanted.test(new URL(url).pathname) || wanted.test(text))
      .map(({ url }) => url);
  const fitting = fit(link);
  const guessed = fitting.length > 0 ? [] : paths.map((path) => new URL(path, home.url).href);
  const urls = [...new Set([...fitting, ...guessed, ...(also ? fit(also) : [])])]
    .filter((url) => url !== home.url)
    .slice(0, max);
  const further = await readPages(reader, urls, signal);
  const refusal = further.length === 0 ? refusalOf(home) : null;
  if (refusal) throw refusal;
  return [...(home.status < 400 ? [home] : []), ...further];
}

/** Statuses below 500 that mean "retry later". Source: RFC 9110, 15.5.9; RFC 8470; RFC 6585. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);
/** Statuses of a page that does not exist. Source: RFC 9110, 15.5.5 and 15.5.11. */
const ABSENT: ReadonlySet<number> = new Set([404, 410]);

/**
 * @returns the reason why a page could not be read although it may exist; null for a readable page, and for a missing one
 */
export function refusalOf({ status }: Pick<ReadPage, 'status'>): OutboundError | null {
  if (status < 400 || ABSENT.has(status)) return null;
  return status >= 500 || LATER.has(status)
    ? new OutboundError('unreachable', `The site answered with status ${status}.`)
    : new OutboundError('unwelcome', `The site refuses to be read by this program (status ${status}).`);
}

/** @returns the pages that exist and could be read in time, in the given order */
export async function readPages<Read extends ReadPage>(
  reader: PageSource<Read>,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<Read[]> {
  const time = AbortSignal.timeout(FURTHER_MS);
  const pages = await Promise.all(
    urls.map(async (url) => {
      try {
        return await reader.findPage(url, { signal: AbortSignal.any([signal, time]) });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof OutboundError || time.aborted) return null;
        throw error;
      }
    }),
  );
  return pages.filter((page) => page !== null);
}

/** Returns true for the same host, with or without `www`, and for subdomains. */
export function isOfSite(page: string, home: string): boolean {
  const bare = (address: string): string => new URL(address).hostname.replace(/^www\./, '');
  return bare(page) === bare(home) || bare(page).endsWith(`.${bare(home)}`);
}
