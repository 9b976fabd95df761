import { OutboundError } from '@quarry/safe-http';
import type { PageSource, ReadPage } from './page.js';

/** For all further pages together: a service within a request has 30 seconds. */
const FURTHER_MS = 15_000;

/** Choice of further pages of a site that are worth reading. */
export interface WantedPages {
  /** Pattern of a link's address or words. */
  link: RegExp;
  /** Read where places are left. */
  also?: RegExp;
  /** Most pages beside the home page. */
  max: number;
  /** Paths that are tried where no link fits, such as `/careers`. */
  paths?: readonly string[];
}

/**
 * Reads the home page of a site and some of its other pages, those whose links fit best in front. A further page that cannot be
 * read says nothing, nor does one for which the time was too short.
 * @returns the home page first; pages that are there only, so none for a site that has no such pages
 * @throws OutboundError when the home page cannot be read, or nothing of the site was and its home page says that another time or another reader may
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

/** Of the statuses below 500 those that say "later". Source: RFC 9110, 15.5.9; RFC 8470; RFC 6585. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);
/** There is no such page, which is an answer. Source: RFC 9110, 15.5.5 and 15.5.11. */
const ABSENT: ReadonlySet<number> = new Set([404, 410]);

/** @returns why a page says nothing of its site, although there may be one; null for a page, and for one that is not there */
export function refusalOf({ status }: Pick<ReadPage, 'status'>): OutboundError | null {
  if (status < 400 || ABSENT.has(status)) return null;
  return status >= 500 || LATER.has(status)
    ? new OutboundError('unreachable', `The site answered with status ${status}.`)
    : new OutboundError('unwelcome', `The site refuses to be read by this program (status ${status}).`);
}

/** @returns those of the pages that are there and could be read in time, in the given order */
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

/** With or without `www`, and below it. */
export function isOfSite(page: string, home: string): boolean {
  const bare = (address: string): string => new URL(address).hostname.replace(/^www\./, '');
  return bare(page) === bare(home) || bare(page).endsWith(`.${bare(home)}`);
}
