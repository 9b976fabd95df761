import { OutboundError } from '@quarry/outbound';
import type { PageReader } from './page-reader.js';
import type { ReadPage } from './page.js';

/** For all further pages together: a service within a request has 30 seconds. */
const FURTHER_MS = 15_000;

/** Which further pages of a site are worth reading. */
export interface WantedPages {
  /** What a link's address or words contain. */
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
 * @returns the home page first; pages that are there only
 * @throws OutboundError when the home page cannot be read
 */
export async function readSite(
  reader: PageReader,
  site: string,
  { link, also, max, paths = [] }: WantedPages,
  signal: AbortSignal,
): Promise<ReadPage[]> {
  const home = await reader.read(site, { signal });
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
  return [...(home.status < 400 ? [home] : []), ...further];
}

/** @returns those of the pages that are there and could be read in time, in the given order */
export async function readPages(
  reader: PageReader,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<ReadPage[]> {
  const time = AbortSignal.timeout(FURTHER_MS);
  const pages = await Promise.all(
    urls.map(async (url) => {
      try {
        return await reader.read(url, { signal: AbortSignal.any([signal, time]) });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof OutboundError || time.aborted) return null;
        throw error;
      }
    }),
  );
  return pages.filter((page): page is ReadPage => page !== null && page.status < 400);
}

/** With or without `www`, and below it. */
export function isOfSite(page: string, home: string): boolean {
  const bare = (address: string): string => new URL(address).hostname.replace(/^www\./, '');
  return bare(page) === bare(home) || bare(page).endsWith(`.${bare(home)}`);
}
