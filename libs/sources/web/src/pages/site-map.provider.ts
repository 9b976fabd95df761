import { OutboundError } from '@quarry/safe-http';
import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { readHome } from './page-failure.js';
import type { PageReader } from './page-reader.js';
import type { ReadPage, SiteMapEntries } from './page.js';
import { isOfSite } from './site-pages.js';

const LIMIT_DEFAULT = 100;
/** Maximum number of site map files per call; an index may list thousands. */
const FILES_MAX = 10;
/** Milliseconds for all of them: a service within a request has 30 seconds. */
const FILES_MS = 15_000;

interface SitePage {
  url: string;
  title: string | null;
  last_modified: string | null;
}

/** Implements mapWebsite with the pages in a site's site maps, else with those that its home page links. */
export class SiteMapProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['mapWebsite'];

  /** @param filesMs time limit of the site maps */
  constructor(
    private readonly reader: PageReader,
    private readonly filesMs = FILES_MS,
  ) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { url, limit = LIMIT_DEFAULT } = input as { url: string; limit?: number };
    const home = await readHome(this.id, this.reader, url, signal);
    const items = home ? await this.pagesOf(home, limit, signal) : [];
    return answerOf(this.id, items.length > 0, { items });
  }

  private async pagesOf(home: ReadPage, limit: number, signal: AbortSignal): Promise<SitePage[]> {
    const named = await this.readSiteMaps(new URL(home.url).origin, limit, signal);
    const linked = [
      { url: home.url, title: home.title, last_modified: null },
      ...home.links.map(({ url, text }) => ({ url, title: text || null, last_modified: null })),
    ];
    const pages = new Map<string, SitePage>();
    for (const page of named.length > 0 ? named : linked)
      if (isOfSite(page.url, home.url) && !pages.has(page.url)) pages.set(page.url, page);
    const titles = new Map(linked.map((each) => [each.url, each.title]));
    return [...pages.values()]
      .slice(0, limit)
      .map((page) => ({ ...page, title: page.title ?? titles.get(page.url) ?? null }));
  }

  /** Reads pages from the site maps until there are enough. A file that cannot be read in time is skipped. */
  private async readSiteMaps(origin: string, limit: number, signal: AbortSignal): Promise<SitePage[]> {
    const listed = await this.reader.siteMaps(origin);
    const files = new Set(listed.length > 0 ? listed : [`${origin}/sitemap.xml`]);
    const time = AbortSignal.timeout(this.filesMs);
    const pages: SitePage[] = [];
    let left = FILES_MAX;
    // Grows during the iteration: an index lists further files.
    for (const file of files) {
      if (left === 0 || pages.length >= limit || time.aborted) break;
      left -= 1;
      const named = await this.entriesOf(file, signal, time);
      for (const further of named.siteMaps) files.add(further);
      pages.push(
        ...named.pages.map(({ url, lastModified }) => ({ url, title: null, last_modified: lastModified })),
      );
    }
    return pages;
  }

  private async entriesOf(url: string, signal: AbortSignal, time: AbortSignal): Promise<SiteMapEntries> {
    const inTime = AbortSignal.any([signal, time]);
    try {
      const file = await this.reader.fetchPage(url, { signal: inTime });
      if (file.status === 200) return await this.reader.siteMapOf(file, { signal: inTime });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof OutboundError) && !time.aborted) throw error;
    }
    return { pages: [], siteMaps: [] };
  }
}
