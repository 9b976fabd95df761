import { XMLParser } from 'fast-xml-parser';
import { OutboundError } from '@quarry/outbound';
import type { ProviderAnswer, ProviderCall, LookupProvider } from '../../ports/lookup.port.js';
import { pageFailure } from './page-failure.js';
import type { PageReader } from './page-reader.js';
import { isOfSite } from './site-pages.js';

const LIMIT_DEFAULT = 100;
/** Files of a site map that are read for one answer; an index may name thousands. */
const FILES_MAX = 10;

interface SitePage {
  url: string;
  title: string | null;
  last_modified: string | null;
}

interface Entry {
  loc?: unknown;
  lastmod?: unknown;
}

/** mapWebsite: the pages that a site names in its site maps, else those that its home page links. */
export class SiteMapProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['mapWebsite'];
  // Entities stay as they are written: a file may define some that unfold without end.
  private readonly xml = new XMLParser({
    processEntities: false,
    isArray: (name) => name === 'url' || name === 'sitemap',
  });

  constructor(private readonly reader: PageReader) {}

  async run({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { url, limit = LIMIT_DEFAULT } = input as { url: string; limit?: number };
    const home = await this.reader.read(url, { signal }).catch(pageFailure(this.id));
    const named = await this.named(new URL(home.url).origin, limit, signal);
    const linked = [
      { url: home.url, title: home.title, last_modified: null },
      ...home.links.map(({ url, text }) => ({ url, title: text || null, last_modified: null })),
    ];
    const pages = new Map<string, SitePage>();
    for (const page of named.length > 0 ? named : linked)
      if (isOfSite(page.url, home.url) && !pages.has(page.url)) pages.set(page.url, page);
    const titles = new Map(linked.map((each) => [each.url, each.title]));
    const items = [...pages.values()]
      .slice(0, limit)
      .map((page) => ({ ...page, title: page.title ?? titles.get(page.url) ?? null }));
    return { found: items.length > 0, deep: false, provider: this.id, output: { items, provider: this.id } };
  }

  /** Pages of the site maps, until there are enough. A file that cannot be read says nothing. */
  private async named(origin: string, limit: number, signal: AbortSignal): Promise<SitePage[]> {
    const told = await this.reader.siteMaps(origin);
    const files = told.length > 0 ? told : [`${origin}/sitemap.xml`];
    const pages: SitePage[] = [];
    // Grows while it is walked: an index names further files.
    for (const [at, file] of files.entries()) {
      if (at >= FILES_MAX || pages.length >= limit) break;
      const text = await this.textOf(file, signal);
      const { urlset, sitemapindex } = this.parsed(text);
      files.push(...locations(sitemapindex?.sitemap).map(({ url }) => url));
      pages.push(...locations(urlset?.url));
    }
    return pages;
  }

  private async textOf(url: string, signal: AbortSignal): Promise<string> {
    try {
      const { status, bytes } = await this.reader.fetch(url, { signal });
      return status === 200 ? bytes.toString('utf8') : '';
    } catch (error) {
      if (error instanceof OutboundError) return '';
      throw error;
    }
  }

  private parsed(text: string): { urlset?: { url?: Entry[] }; sitemapindex?: { sitemap?: Entry[] } } {
    try {
      return this.xml.parse(text) as ReturnType<SiteMapProvider['parsed']>;
    } catch {
      return {};
    }
  }
}

function locations(entries: Entry[] | undefined): SitePage[] {
  return (entries ?? []).flatMap(({ loc, lastmod }) => {
    // The one entity that addresses have.
    const url = typeof loc === 'string' ? URL.parse(loc.replaceAll('&amp;', '&')) : null;
    if (!url || !url.protocol.startsWith('http')) return [];
    return [{ url: url.href, title: null, last_modified: typeof lastmod === 'string' ? lastmod : null }];
  });
}
