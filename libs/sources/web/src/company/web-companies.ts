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

/** Sites that are read for one search: each costs its host a few pages. */
const SITES_MAX = 20;
/** For all sites together: a service within a request has 30 seconds, and the search engine needs some of them. */
const SITES_MS = 18_000;
/** Milliseconds of a search without a deadline. */
const SEARCH_MS = 60_000;
/** Milliseconds that read companies are given again, so that pages join; less where a site could not be read for now. */
const KEPT_MS = 600_000;
const KEPT_IN_PART_MS = 60_000;
const SEARCHES_KEPT = 500;

/** Filters on facts that a site gives of its company in a form that proves them. */
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
/** Filters that a search engine can be asked by; at least one must be given. */
const SAYABLE = ['names', 'domains', 'industries', 'places', 'technologies', 'all_technologies'];

type Ask = Pick<LookupProvider, 'answerCall'>;

/** Provider of webSearch for an organisation. */
export interface WebEngine extends Ask {
  /** Searches with the same text are paid by the same account: they share what was found, and nobody else does. */
  readonly account: string;
}

/** Result of one search. */
interface Found {
  companies: CompanyRecord[];
  /** Account that paid for the search engine's answer. */
  paidBy: ProviderAnswer['paidBy'];
}

/** Account of reads without a search engine: nobody pays, and all share them. */
const NO_ENGINE = '';

/**
 * Companies by a search engine and their own sites: results give candidates, each candidate's site is read, and a company is
 * kept only where its site proves every filter. Facts that a site does not give are null.
 */
export class WebCompanies {
  private readonly kept = new LRUCache<string, Found>({ max: SEARCHES_KEPT, ttl: KEPT_MS });

  /** @param sites enrichCompany of the keyless provider */
  constructor(private readonly sites: Ask) {}

  /** @param engine answers webSearch for whoever asks; null when nobody does any more */
  directoryFor(engine: () => Promise<WebEngine | null>): CompanyDirectory {
    return {
      provider: 'web',
      cannotTell,
      searchCompanies: (query, options) => this.searchCompanies(query, options, engine),
      findCompany: () => Promise.resolve(null),
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
      // There are more on the web than one page of results has.
      ...(kept.length > 0 ? { isTotalEstimated: true as const } : {}),
      ...(found.paidBy ? { paidBy: found.paidBy } : {}),
    };
  }

  /** @param engine null where the addresses are given */
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
    // Nothing at all may be a slow moment, and is no page that others would have to join.
    else if (found.companies.length > 0) this.kept.set(key, found, { ttl: KEPT_IN_PART_MS });
    return found;
  }

  /** A site that cannot be read, or not in time, says nothing. @returns also whether each could be read */
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

/** @returns filters that no site proves; all of them where none can be said to a search engine */
function cannotTell(query: CompanyQuery): readonly string[] {
  const names = [query, ...(query.not ?? [])].flatMap(namesOf);
  const own = namesOf(query);
  if (!own.some((name) => SAYABLE.includes(name))) return own.length > 0 ? own : ['names'];
  return COMPANY_FILTERS.flatMap(({ name }) =>
    names.includes(name) && !PROVABLE.includes(name) ? name : [],
  );
}

/** @returns addresses of sites that may be those of such companies, the best result first, and who has paid for them */
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

/** The home page of the site: a part of it, such as its blog, stands at a host of its own. */
function addressOf(url: string, site: string): string {
  const { hostname, origin } = new URL(url);
  return hostname.replace(/^www\./, '') === site ? origin : site;
}

/** The filters as one would type them: "Fintech Shopify companies in Berlin". */
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
