import {
  companyMatches,
  type CompanyDirectory,
  type CompanyQuery,
  type CompanyRecord,
  type DirectoryAnswer,
  type DirectorySearchOptions,
  type DirectorySort,
  type PeopleDirectory,
  type PeopleQuery,
  personMatches,
  type PersonRecord,
} from '@quarry/directory';
import { LRUCache } from 'lru-cache';
import { compareCompanies, comparePeople, matchesNothing } from '@quarry/extraction';
import { orAborted, ProviderFailure, type LookupProvider } from '@quarry/engine';
import type { SearchedPage, VendorQuery, VendorSearch, VendorSearchName } from './vendor-search.js';
import type { SearchInput } from './vendor.provider.js';
import type { Vendor } from './vendor.js';

/**
 * Limits of the records that one search may buy in total, however often it is repeated: five per requested record, because
 * the vendor's filters may be wider than ours; at least 20 and at most 2,000. Repeating a search with a higher limit
 * continues the same search, so the limits also apply to a run whose organisation excludes all results.
 */
const RECORDS_PER_WANTED = 5;
const RECORDS_MIN = 20;
const RECORDS_MAX = 2000;
/** Maximum number of pages per request, so that it ends within its deadline. */
const PAGES_MAX = 10;
/**
 * Milliseconds for a search without a deadline; same as in a run. A rate of ten calls per minute permits ten calls in this
 * time.
 */
const SEARCH_MS = 120_000;
/** Milliseconds that bought records are cached, so that pages are consistent, and a repeated run pays only once. */
const KEPT_MS = 600_000;
/** Maximum number of records that all directories of a process cache together; about 2 kB each. */
const RECORDS_KEPT = 20_000;

/** Functions that match and order the records of one search. */
interface Kind<Query, Found> {
  readonly name: VendorSearchName;
  /** Noun in the message for customers. */
  readonly noun: string;
  matches(record: Found, query: Query, translated: VendorQuery): boolean;
  /** @returns the record, completed with values implied by the filters that the vendor applied */
  completed(record: Found, query: Query, translated: VendorQuery): Found;
  compare(a: Found, b: Found, sort: DirectorySort | undefined): number;
  /** Returns the maximum number of records per company, if any. */
  cap(query: Query): number | undefined;
  companyId(record: Found): string;
}

/** Result whose record is not bought yet. */
interface Key<Found> {
  readonly key: string;
  /** Record, when it was fetched in parallel with a call that failed; null when the vendor has none for the key. */
  record?: Found | null;
}

/** Cached state of a search: the part that has been paid for. */
interface Session<Found> {
  /** Start time in milliseconds, from the clock of the cache. */
  readonly startedAt: number;
  /** Matching records, in the order in which they are returned. */
  matches: Found[];
  /** Ids and keys of the records received so far. */
  ids: Set<string>;
  keys: Set<string>;
  /** Keys whose records have not been taken yet, for vendors that return keys first. */
  ahead: Key<Found>[];
  /** Number of records that were bought and checked. */
  fetched: number;
  /** Number of results that do not match or have no record. */
  dropped: number;
  vendorTotal: number | null;
  cursor: string | null;
  /** True when the vendor has returned its last page; `isCut` when it has more matches than it returns. */
  isLastPage: boolean;
  isCut: boolean;
  /** True when the first page has been returned: later records must not be sorted before its records. */
  isBegun: boolean;
  /** Highest number of records requested, and highest number at which the search gave up because of the number of pages. */
  wantedMost: number;
  givenUp: number;
  /** Resolves when no call works on the session. */
  turn: Promise<void>;
}

/** Cache of the records that the searches of one process have bought. */
export class BoughtRecords {
  private readonly sessions: LRUCache<string, Session<unknown>>;
  private places = 0;

  /** @param clock returns milliseconds */
  constructor(private readonly clock: { now(): number } = performance) {
    this.sessions = new LRUCache<string, Session<unknown>>({
      maxSize: RECORDS_KEPT,
      ttl: KEPT_MS,
      ttlResolution: 0,
      ttlAutopurge: true,
      perf: clock,
      sizeCalculation: ({ fetched }) => Math.max(1, Math.min(fetched, RECORDS_KEPT)),
    });
  }

  newPlace(): number {
    this.places += 1;
    return this.places;
  }

  /** Number of cached records; a search without records counts as one. */
  get size(): number {
    return this.sessions.calculatedSize;
  }

  /** @returns the cached session, else a new one */
  session<Found>(key: string): Session<Found> {
    const kept = this.sessions.get(key) as Session<Found> | undefined;
    if (kept) return kept;
    const session = newSession<Found>(this.clock.now());
    this.keep(key, session);
    return session;
  }

  /** Caches a session. Must be called again when it has grown. It expires together with its first records. */
  keep<Found>(key: string, session: Session<Found>): void {
    const kept = this.sessions.peek(key);
    // This session has expired meanwhile, and another search has started a new one in its place.
    if (kept !== undefined && kept !== session) return;
    // Setting the same object again would keep its old size.
    this.sessions.delete(key);
    const ttl = Math.ceil(session.startedAt + KEPT_MS - this.clock.now());
    if (ttl > 0) this.sessions.set(key, session, { ttl });
  }
}

class VendorTable<Query extends CompanyQuery | PeopleQuery, Found extends { id: string }> {
  /** Prefix of its cache keys: tables and vendor keys do not share sessions. */
  private readonly place: number;
  private readonly bought: BoughtRecords;
  private readonly isOwn: boolean;

  constructor(
    private readonly search: VendorSearch,
    private readonly provider: LookupProvider,
    private readonly kind: Kind<Query, Found>,
    { bought, isOwn }: { bought: BoughtRecords; isOwn: boolean },
  ) {
    this.bought = bought;
    this.isOwn = isOwn;
    this.place = bought.newPlace();
  }

  cannotTell(query: Query): readonly string[] {
    return this.search.query(query as never).unanswerable;
  }

  /** @throws ProviderFailure; the signal's reason when it fires */
  async find(query: Query, options: DirectorySearchOptions<Found>): Promise<DirectoryAnswer<Found>> {
    if (matchesNothing(query) || this.cannotTell(query).length > 0)
      return { provider: this.provider.id, items: [], total: 0 };
    const { sort, signal = AbortSignal.timeout(SEARCH_MS) } = options;
    const key = JSON.stringify([this.place, query, sort ?? null]);
    const session = this.bought.session<Found>(key);
    // Concurrent requests for the same search take turns; otherwise both would buy the records.
    const before = session.turn;
    const work = orAborted(before, signal).then(() =>
      this.answerPage(session, query, { ...options, signal }),
    );
    // The turn resolves to undefined: a chain of results would keep all earlier ones in memory.
    session.turn = Promise.allSettled([before, work]).then(() => undefined);
    // Bought records are cached even when a later call failed, so that they are not bought again.
    return work.finally(() => this.bought.keep(key, session));
  }

  private async answerPage(
    session: Session<Found>,
    query: Query,
    { limit, offset = 0, sort, exclude, signal }: DirectorySearchOptions<Found> & { signal: AbortSignal },
  ): Promise<DirectoryAnswer<Found>> {
    const translated = this.search.query(query as never);
    const given = (): Array<Found> => this.filterRecords(session, query, exclude);
    const wanted = offset + limit;
    session.wantedMost = Math.max(session.wantedMost, wanted);
    const bound = boundOf(session);
    // A search that gave up is not resumed by a repeated request: its cost would be unpredictable.
    for (let pages = 0; wanted > session.givenUp && !isExhausted(session); pages += 1) {
      const fitting = given().length;
      const [missing, left] = [wanted - fitting, bound - session.fetched];
      if (missing <= 0 || left <= 0) break;
      if (pages === PAGES_MAX) session.givenUp = wanted;
      // The fewer records have matched so far, the larger the next page is.
      else {
        const size = Math.min(left, Math.max(missing, session.fetched - fitting));
        await this.fetchRecords(session, query, translated, size, signal);
      }
    }
    if (session.matches.length === 0 && session.dropped > 0 && (session.isCut || !isExhausted(session)))
      throw this.noneOf(session.dropped);
    if (isExhausted(session) && !session.isCut && !session.isBegun)
      session.matches.sort((a, b) => this.kind.compare(a, b, sort));
    session.isBegun = true;
    const items = given();
    return {
      provider: this.provider.id,
      items: items.slice(offset, wanted),
      ...(this.isOwn ? { paidBy: 'organisation' as const } : {}),
      ...totalOf(session, {
        known: items.length,
        wanted,
        isFullyTranslated: isFullyTranslated(query, translated),
      }),
    };
  }

  /** Creates the failure for a search without matches so far: "nothing found" would be false, since the vendor has more. */
  private noneOf(count: number): ProviderFailure {
    const { provider, kind } = this;
    return new ProviderFailure(
      'provider_rejected',
      `None of the first ${count} ${kind.noun} found matches all filters. Narrow the filters.`,
      { provider: provider.id },
    );
  }

  private filterRecords(
    { matches }: Session<Found>,
    query: Query,
    exclude: DirectorySearchOptions<Found>['exclude'],
  ): Array<Found> {
    const kept = exclude ? matches.filter((each) => !exclude(each)) : matches;
    const cap = this.kind.cap(query);
    if (cap === undefined) return kept;
    const counts = new Map<string, number>();
    return kept.filter((each) => {
      const id = this.kind.companyId(each);
      counts.set(id, (counts.get(id) ?? 0) + 1);
      return counts.get(id)! <= cap;
    });
  }

  /** Buys at most `size` records. */
  private async fetchRecords(
    session: Session<Found>,
    query: Query,
    translated: VendorQuery,
    size: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { reveal, pageMax } = this.search;
    if (!reveal) {
      const found = await this.nextPage<Found>(session, translated, Math.min(size, pageMax), signal);
      session.fetched += found.length;
      this.takeRecords(session, query, translated, found);
      return;
    }
    if (session.ahead.length === 0) {
      // The number of keys does not affect the price, and pages are only stable with a fixed size.
      const found = await this.nextPage<string>(session, translated, pageMax, signal);
      const fresh = new Set(found.filter((key) => key !== null && !session.keys.has(key)) as string[]);
      session.dropped += found.filter((key) => key === null).length;
      for (const key of fresh) session.keys.add(key);
      session.ahead = [...fresh].map((key) => ({ key }));
    }
    const bought = session.ahead.slice(0, size);
    await this.revealRecords(bought, signal);
    session.fetched += bought.length;
    session.ahead = session.ahead.slice(bought.length);
    this.takeRecords(
      session,
      query,
      translated,
      bought.map(({ record }) => record ?? null),
    );
  }

  private async nextPage<Item>(
    session: Session<Found>,
    { words }: VendorQuery,
    size: number,
    signal: AbortSignal,
  ): Promise<ReadonlyArray<Item | null>> {
    const page = await this.callVendor({ words, size, cursor: session.cursor }, signal);
    session.vendorTotal ??= page.total;
    session.cursor = page.next;
    session.isLastPage = page.next === null || page.found.length === 0;
    session.isCut = page.isCut === true;
    return page.found as ReadonlyArray<Item | null>;
  }

  private takeRecords(
    session: Session<Found>,
    query: Query,
    translated: VendorQuery,
    records: ReadonlyArray<Found | null>,
  ): void {
    for (const record of records) {
      // If the vendor's data change between calls, a record may be on two pages.
      if (record && session.ids.has(record.id)) continue;
      if (record) session.ids.add(record.id);
      if (record && this.kind.matches(record, query, translated))
        session.matches.push(this.kind.completed(record, query, translated));
      else session.dropped += 1;
    }
  }

  /**
   * Fetches the record of each key that has none yet.
   * @throws the error of a failed call, after the parallel calls have stored their records
   */
  private async revealRecords(keys: Key<Found>[], signal: AbortSignal): Promise<void> {
    const { size } = this.search.reveal!;
    const open = keys.filter(({ record }) => record === undefined);
    const lots = Array.from({ length: Math.ceil(open.length / size) }, (_, i) =>
      open.slice(i * size, (i + 1) * size),
    );
    const calls = await Promise.allSettled(
      lots.map(async (lot) => {
        const page = await this.callVendor({ keys: lot.map(({ key }) => key) }, signal);
        for (const [i, each] of lot.entries()) each.record = (page.found[i] ?? null) as Found | null;
      }),
    );
    const failed = calls.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async callVendor(input: SearchInput, signal: AbortSignal): Promise<SearchedPage> {
    const { name } = this.kind;
    const call = { service: name, input: { ...input }, searchId: name, signal };
    const { output } = await this.provider.answerCall(call);
    return output as unknown as SearchedPage;
  }
}

function newSession<Found>(startedAt: number): Session<Found> {
  return {
    startedAt,
    matches: [],
    ids: new Set(),
    keys: new Set(),
    ahead: [],
    fetched: 0,
    dropped: 0,
    vendorTotal: null,
    cursor: null,
    isLastPage: false,
    isCut: false,
    isBegun: false,
    wantedMost: 0,
    givenUp: 0,
    turn: Promise.resolve(),
  };
}

const boundOf = ({ wantedMost }: Session<unknown>): number =>
  Math.min(RECORDS_MAX, Math.max(RECORDS_MIN, RECORDS_PER_WANTED * wantedMost));
const isExhausted = ({ isLastPage, ahead }: Session<unknown>): boolean => isLastPage && ahead.length === 0;

/** Returns true when the vendor applies the whole query exactly; a maximum per company is never applied by the vendor. */
function isFullyTranslated(query: CompanyQuery | PeopleQuery, translated: VendorQuery): boolean {
  const { company = {}, not = [], per_company: cap, ...own } = query as PeopleQuery;
  const { not: companyNot = [], ...ofCompany } = company;
  return (
    cap === undefined &&
    (translated.saysNot || not.length + companyNot.length === 0) &&
    Object.keys(own).every((name) => translated.exact.includes(name)) &&
    Object.keys(ofCompany).every((name) => translated.exactOfCompany.includes(name))
  );
}

/**
 * Returns the vendor's total when it applies all filters; otherwise the known number, marked as an estimate when there may
 * be more.
 */
function totalOf(
  session: Session<unknown>,
  { known, wanted, isFullyTranslated: isAll }: { known: number; wanted: number; isFullyTranslated: boolean },
): Pick<DirectoryAnswer<unknown>, 'total' | 'isTotalEstimated'> {
  const { isCut, vendorTotal, dropped, matches } = session;
  if (isExhausted(session)) return { total: known, ...(isCut ? { isTotalEstimated: true as const } : {}) };
  // The limit of the search is reached, so further pages would be empty.
  if (known < wanted && session.fetched >= boundOf(session)) return { total: known, isTotalEstimated: true };
  if (known < wanted || !isAll || vendorTotal === null) return { total: known + 1, isTotalEstimated: true };
  const total = Math.max(known + 1, vendorTotal - dropped - (matches.length - known));
  return { total, ...(dropped > 0 ? { isTotalEstimated: true as const } : {}) };
}

/** Fills in `is_hiring` from the filter. Only for this boolean does an applied filter imply the exact value. */
function hiringOf(record: CompanyRecord, query: CompanyQuery, exact: readonly string[]): CompanyRecord {
  const { is_hiring: isHiring } = query;
  const isVouched = isHiring !== undefined && record.is_hiring === null && exact.includes('is_hiring');
  return isVouched ? { ...record, is_hiring: isHiring } : record;
}

const COMPANIES: Kind<CompanyQuery, CompanyRecord> = {
  name: 'searchCompanies',
  noun: 'companies',
  matches: (record, query, { exact }) => companyMatches(record, query, new Set(exact)),
  completed: (record, query, { exact }) => hiringOf(record, query, exact),
  compare: compareCompanies,
  cap: () => undefined,
  companyId: ({ id }) => id,
};
const PEOPLE: Kind<PeopleQuery, PersonRecord> = {
  name: 'searchPeople',
  noun: 'people',
  matches: (record, query, { exact, exactOfCompany }) =>
    personMatches(record, query, { own: new Set(exact), company: new Set(exactOfCompany) }),
  completed: (record, { company = {} }, { exactOfCompany }) => ({
    ...record,
    company: hiringOf(record.company, company, exactOfCompany),
  }),
  compare: comparePeople,
  cap: ({ per_company: cap }) => cap,
  companyId: ({ company }) => company.id,
};

/** Directories of a vendor; null where it does not support the search. */
export interface VendorDirectories {
  readonly companies: CompanyDirectory | null;
  readonly people: PeopleDirectory | null;
}

/**
 * @param provider of the vendor, with its policy
 * @param isOwn true with an organisation's own key
 * @param bought cache of the records of the process
 * @returns its directories. They do not look up single records: the vendor's services do that, at a published price
 */
export function vendorDirectories(
  { id, searches = {} }: Vendor,
  provider: LookupProvider,
  { isOwn = false, bought = new BoughtRecords() }: { isOwn?: boolean; bought?: BoughtRecords } = {},
): VendorDirectories {
  const { searchCompanies, searchPeople } = searches;
  const companies =
    searchCompanies && new VendorTable(searchCompanies, provider, COMPANIES, { isOwn, bought });
  const people = searchPeople && new VendorTable(searchPeople, provider, PEOPLE, { isOwn, bought });
  return {
    companies: companies
      ? {
          provider: id,
          cannotTell: (query) => companies.cannotTell(query),
          searchCompanies: (query, options) => companies.find(query, options),
        }
      : null,
    people: people
      ? {
          provider: id,
          cannotTell: (query) => people.cannotTell(query),
          searchPeople: (query, options) => people.find(query, options),
        }
      : null,
  };
}
