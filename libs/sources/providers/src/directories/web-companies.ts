import {
  COMPANY_FILTERS,
  type CompanyDirectory,
  type CompanyFilters,
  companyMatches,
  type CompanyQuery,
  type CompanyRecord,
  type DirectoryAnswer,
  type DirectorySearchOptions,
} from '@quarry/directory';
import { industryNameOf, TECHNOLOGIES } from '@quarry/vocabulary';
import { siteOf } from '@quarry/dto';
import { LRUCache } from 'lru-cache';
import { companyOf, type SourceFields, compareCompanies, matchesNothing, namesOf } from '@quarry/extraction';
import { ProviderFailure, type LookupProvider, type ProviderAnswer, timedSignal } from '@quarry/engine';

/** Maximum number of sites read per search: each costs its host a few page requests. */
const SITES_MAX = 20;
/**
 * Milliseconds for all sites together: a service within a request has 30 seconds, of which the search engine needs some.
 */
const SITES_MS = 18_000;
/** Milliseconds of a search without a deadline. */
const SEARCH_MS = 60_000;
/** Milliseconds that companies are cached, so that pages are consistent; less when a site was temporarily unreachable. */
const KEPT_MS = 600_000;
const KEPT_IN_PART_MS = 60_000;
const SEARCHES_KEPT = 500;

/** Filters on facts that structured data of a site proves. */
const PROVABLE: ReadonlyArray<keyof CompanyFilters> = [
  'names',
  'domains',
  'industries',
  'places',
  'headcount',
  'founded',
  'technologies',
  'all_technologies',
];
/** Filters that can be part of a search engine query; at least one is required. */
const SAYABLE = ['names', 'domains', 'industries', 'places', 'technologies', 'all_technologies'];

type Ask = Pick<LookupProvider, 'answerCall'>;

/** Provider of webSearch for an organisation. */
export interface WebEngine extends Ask {
  /** Account that pays for a search: only searches of the same account share cached results. */
  readonly account: string;
}

/** Result of one search. */
interface Found {
  companies: CompanyRecord[];
  /** Payer of the search engine's results. */
  paidBy: ProviderAnswer['paidBy'];
}

/** Account of searches without a search engine: they are free, and all share them. */
const NO_ENGINE = '';

/**
 * Searches companies with a search engine and their own sites: its results are candidates, each candidate's site is read,
 * and a company is returned only if its site proves every filter. Facts that a site does not provide are null.
 */
export class WebCompanies {
  private readonly kept = new LRUCache<string, Found>({ max: SEARCHES_KEPT, ttl: KEPT_MS });

  /** @param sites enrichCompany of the web provider */
  constructor(private readonly sites: Ask) {}

  /** @param engine returns the provider of webSearch; null when there is none any more */
  directoryFor(engine: () => Promise<WebEngine | null>): CompanyDirectory {
    return {
      provider: 'web',
      cannotTell,
      searchCompanies: (query, options) => this.searchCompanies(query, options, engine),
    };
  }

  private async searchCompanies(
    query: CompanyQuery,
    {
      limit,
      offset = 0,
      sort,
      exclude,
      signal = timedSignal(SEARCH_MS),
    }: DirectorySearchOptions<CompanyRecord>,
    engine: () => Promise<WebEngine | null>,
  ): Promise<DirectoryAnswer<CompanyRecord>> {
    const provider = 'web';
    if (matchesNothing(query) || cannotTell(query).length > 0) return { provider, items: [], total: 0 };
    const hits = query.domains ? null : await engine();
    if (!query.domains && !hits)
      throw new ProviderFailure('provider_unavailable', 'No provider searches the web.', { provider });
    const key = JSON.stringify([hits?.account ?? NO_ENGINE, query]);
    const found = this.kept.get(key) ?? (await this.findCompanies(key, query, hits, signal));
    const kept = (exclude ? found.companies.filter((each) => !exclude(each)) : [...found.companies]).sort(
      (a, b) => compareCompanies(a, b, sort),
    );
    return {
      provider,
      items: kept.slice(offset, offset + limit),
      total: kept.length,
      // The web has more than one page of results.
      ...(kept.length > 0 ? { isTotalEstimated: true as const } : {}),
      ...(found.paidBy ? { paidBy: found.paidBy } : {}),
    };
  }

  /** @param engine null when the query contains the addresses */
  private async findCompanies(
    key: string,
    query: CompanyQuery,
    engine: Ask | null,
    signal: AbortSignal,
  ): Promise<Found> {
    const { addresses, paidBy } = engine
      ? await candidatesOf(query, engine, signal)
      : { addresses: (query.domains ?? []).slice(0, SITES_MAX), paidBy: undefined };
    const { records, isWhole } = await this.readSites(addresses, signal);
    const found = { companies: records.filter((each) => companyMatches(each, query)), paidBy };
    if (isWhole) this.kept.set(key, found);
    // An empty result may be caused by temporary failures, and has no further pages that must be consistent: it is not cached.
    else if (found.companies.length > 0) this.kept.set(key, found, { ttl: KEPT_IN_PART_MS });
    return found;
  }

  /** Reads the sites; one that cannot be read in time is skipped. @returns also whether all could be read */
  private async readSites(
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<{ records: CompanyRecord[]; isWhole: boolean }> {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(SITES_MS)]);
    let isWhole = true;
    const records = await Promise.all(
      addresses.map(async (domain) => {
        try {
          const input = { domain };
          const call = { service: 'enrichCompany', input, searchId: 'searchCompanies', signal: inTime };
          const { found, output } = await this.sites.answerCall(call);
          return found ? companyOf(output as SourceFields) : null;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ProviderFailure) && !inTime.aborted) throw error;
          isWhole = false;
          return null;
        }
      }),
    );
    const byId = new Map(records.flatMap((record) => (record ? [[record.id, record] as const] : [])));
    return { records: [...byId.values()], isWhole };
  }
}

/** @returns filters that no site proves; all filters when none can be part of a search engine query */
function cannotTell(query: CompanyQuery): readonly string[] {
  const names = [query, ...(query.not ?? [])].flatMap(namesOf);
  const own = namesOf(query);
  if (!own.some((name) => SAYABLE.includes(name))) return own.length > 0 ? own : ['names'];
  return COMPANY_FILTERS.flatMap(({ name }) =>
    names.includes(name) && !PROVABLE.includes(name) ? name : [],
  );
}

/** @returns addresses of candidate sites, the best result first, and the payer of the search */
async function candidatesOf(
  query: CompanyQuery,
  engine: Ask,
  signal: AbortSignal,
): Promise<{ addresses: string[]; paidBy: ProviderAnswer['paidBy'] }> {
  const input = { query: wordsOf(query), limit: SITES_MAX };
  const call = { service: 'webSearch', input, searchId: 'searchCompanies', signal };
  const { output, paidBy } = await engine.answerCall(call);
  const sites = new Map<string, string>();
  for (const { url } of output.items as Array<{ url: string }>) {
    const site = URL.canParse(url) ? siteOf(url) : null;
    if (site !== null && !sites.has(site)) sites.set(site, addressOf(url, site));
  }
  return { addresses: [...sites.values()].slice(0, SITES_MAX), paidBy };
}

/** Returns the home page of the site; a part of a site, such as its blog, has a host of its own. */
function addressOf(url: string, site: string): string {
  const { hostname, origin } = new URL(url);
  return hostname.replace(/^www\./, '') === site ? origin : site;
}

/** Returns the filters as a search query: "Fintech Shopify companies in Berlin". */
function wordsOf({
  names = [],
  industries = [],
  places = [],
  technologies = [],
  ...query
}: CompanyQuery): string {
  const used = [...technologies, ...(query.all_technologies ?? [])];
  const words = [
    ...names.map((name) => `"${name.replaceAll('"', ' ')}"`),
    ...industries.map((id) => industryNameOf(id)),
    ...TECHNOLOGIES.filter(({ id }) => used.includes(id)).map(({ name }) => name),
  ];
  const where = places.length > 0 ? `in ${places.map(({ name }) => name).join(', ')}` : '';
  return [...words, 'companies', where].filter(Boolean).join(' ').slice(0, 300);
}
