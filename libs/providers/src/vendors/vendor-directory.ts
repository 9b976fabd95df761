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
import { compareCompanies, comparePeople } from '../directories/search/record-order.js';
import type { LookupProvider, ProviderAnswer } from '../ports/lookup.port.js';
import { matchesNothing } from './search-words.js';
import type { SearchedPage, VendorQuery, VendorSearch, VendorSearchName } from './vendor-search.js';
import type { SearchInput } from './vendor.provider.js';
import type { Vendor } from './vendor.js';

/**
 * What one search may cost: for each record that is asked for, five are bought at most, because the vendor's words for a filter
 * may be wider than ours; and no more than ten calls go out for pages, so that a call ends in its time.
 */
const RECORDS_PER_WANTED = 5;
const CALLS_MAX = 10;
/** Longest search where nobody says when to end it; that of a run. A rate of ten a minute lets ten calls through in it. */
const SEARCH_MS = 120_000;
/** What was bought is given again for this long, so that pages join, and a repeated run pays once. */
const KEPT_MS = 600_000;
/** Records that all directories of a process keep together; about 2 kB each. */
const RECORDS_KEPT = 20_000;

/** How the records of one search are compared. */
interface Kind<Query, Found> {
  readonly name: VendorSearchName;
  matches(record: Found, query: Query, said: VendorQuery): boolean;
  /** @returns the record with what follows from the filters that the vendor has applied */
  completed(record: Found, query: Query, said: VendorQuery): Found;
  compare(a: Found, b: Found, sort: DirectorySort | undefined): number;
  /** Most of one company, and which company a record is of. */
  cap(query: Query): number | undefined;
  companyId(record: Found): string;
}

/** A search as far as it has been paid for. */
interface Session<Found> {
  /** Those that match, in the order in which they are given. */
  matches: Found[];
  ids: Set<string>;
  fetched: number;
  /** Records among them that do not match, or are none. */
  dropped: number;
  vendorTotal: number | null;
  cursor: string | null;
  isExhausted: boolean;
  /** Of calls with an organisation's own key. */
  paidBy: DirectoryAnswer<Found>['paidBy'];
  /** The first answer has been given: no later record may come before those that it had. */
  isBegun: boolean;
  /** Ends when nobody works on it. */
  turn: Promise<unknown>;
}

/** What searches of one process have bought. */
export class BoughtRecords {
  private readonly sessions = new LRUCache<string, Session<unknown>>({
    maxSize: RECORDS_KEPT,
    ttl: KEPT_MS,
    sizeCalculation: ({ fetched }) => Math.max(1, Math.min(fetched, RECORDS_KEPT)),
  });
  private places = 0;

  newPlace(): number {
    this.places += 1;
    return this.places;
  }

  get<Found>(key: string): Session<Found> | undefined {
    return this.sessions.get(key) as Session<Found> | undefined;
  }

  /** Also to be told when a search has grown. */
  keep<Found>(key: string, session: Session<Found>): void {
    this.sessions.set(key, session);
  }
}

class VendorTable<Query extends CompanyQuery | PeopleQuery, Found extends { id: string }> {
  /** Begins its keys: those of another table, or of another key at the vendor, are not its own. */
  private readonly place: number;

  constructor(
    private readonly search: VendorSearch,
    private readonly provider: LookupProvider,
    private readonly kind: Kind<Query, Found>,
    private readonly bought: BoughtRecords,
  ) {
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
    const session = this.bought.get<Found>(key) ?? newSession<Found>();
    this.bought.keep(key, session);
    // Two that ask the same at once would buy it twice.
    const before = session.turn;
    const work = orAborted(before, signal).then(() => this.answer(session, query, { ...options, signal }));
    session.turn = Promise.allSettled([before, work]);
    // What was bought counts, also where a later call failed.
    return work.finally(() => this.bought.keep(key, session));
  }

  private async answer(
    session: Session<Found>,
    query: Query,
    { limit, offset = 0, sort, exclude, signal }: DirectorySearchOptions<Found> & { signal: AbortSignal },
  ): Promise<DirectoryAnswer<Found>> {
    const said = this.search.query(query as never);
    const given = (): Array<Found> => this.given(session, query, exclude);
    const wanted = offset + limit;
    const budget = { records: session.fetched + RECORDS_PER_WANTED * limit, calls: CALLS_MAX };
    for (; budget.calls > 0 && !session.isExhausted; budget.calls -= 1) {
      const missing = wanted - given().length;
      const left = budget.records - session.fetched;
      if (missing <= 0 || left <= 0) break;
      // Where few of the last ones fitted, more are looked at together.
      const size = Math.min(this.search.pageMax, left, Math.max(missing, session.fetched));
      await this.fetch(session, query, said, size, signal);
    }
    if (session.isExhausted && !session.isBegun)
      session.matches.sort((a, b) => this.kind.compare(a, b, sort));
    session.isBegun = true;
    const items = given();
    return {
      provider: this.provider.id,
      items: items.slice(offset, wanted),
      ...(session.paidBy ? { paidBy: session.paidBy } : {}),
      ...totalOf(session, { known: items.length, wanted, isAllSaid: isAllSaid(query, said) }),
    };
  }

  private given(
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

  private async fetch(
    session: Session<Found>,
    query: Query,
    said: VendorQuery,
    size: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { page, paidBy } = await this.call({ words: said.words, size, cursor: session.cursor }, signal);
    session.paidBy = paidBy;
    const records = this.search.reveal
      ? await this.revealed(page.found as Array<string | null>, signal)
      : page.found;
    for (const record of records as Array<Found | null>) {
      // A vendor whose data change meanwhile may give somebody on two pages.
      if (record && session.ids.has(record.id)) continue;
      if (record) session.ids.add(record.id);
      if (record && this.kind.matches(record, query, said))
        session.matches.push(this.kind.completed(record, query, said));
      else session.dropped += 1;
    }
    session.fetched += page.found.length;
    session.vendorTotal ??= page.total;
    session.cursor = page.next;
    session.isExhausted = page.next === null || page.found.length === 0;
  }

  /** @param found keys; null for a find that has none */
  private async revealed(found: ReadonlyArray<string | null>, signal: AbortSignal): Promise<unknown[]> {
    const { size } = this.search.reveal!;
    const keys = found.filter((key) => key !== null);
    const lots = Array.from({ length: Math.ceil(keys.length / size) }, (_, i) =>
      keys.slice(i * size, (i + 1) * size),
    );
    const pages = await Promise.all(lots.map((lot) => this.call({ keys: lot }, signal)));
    return [...pages.flatMap(({ page }) => page.found), ...found.filter((key) => key === null)];
  }

  private async call(
    input: SearchInput,
    signal: AbortSignal,
  ): Promise<{ page: SearchedPage; paidBy: ProviderAnswer['paidBy'] }> {
    const { name } = this.kind;
    const call = { service: name, input: { ...input }, searchId: name, signal };
    const { output, paidBy } = await this.provider.run(call);
    return { page: output as unknown as SearchedPage, paidBy };
  }
}

/** Resolves with the work, or rejects with the signal's reason. */
async function orAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    void work.then(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
  });
}

function newSession<Found>(): Session<Found> {
  return {
    ...{ matches: [], ids: new Set(), fetched: 0, dropped: 0, vendorTotal: null },
    ...{ cursor: null, isExhausted: false, isBegun: false, paidBy: undefined, turn: Promise.resolve() },
  };
}

/** Everything but what is ruled out, and a cap by company, is the vendor's word. */
function isAllSaid(query: CompanyQuery | PeopleQuery, { exact, exactOfCompany }: VendorQuery): boolean {
  const { company = {}, not: _not, per_company: cap, ...own } = query as PeopleQuery;
  const { not: _companyNot, ...ofCompany } = company;
  return (
    cap === undefined &&
    Object.keys(own).every((name) => exact.includes(name)) &&
    Object.keys(ofCompany).every((name) => exactOfCompany.includes(name))
  );
}

/** The vendor's number where every filter is its own; else what is known, and that there may be more. */
function totalOf(
  { isExhausted, vendorTotal, dropped, matches }: Session<unknown>,
  { known, wanted, isAllSaid: isAll }: { known: number; wanted: number; isAllSaid: boolean },
): Pick<DirectoryAnswer<unknown>, 'total' | 'isTotalEstimated'> {
  if (isExhausted) return { total: known };
  // The bound of a search was reached: whoever asks on would get nothing.
  if (known < wanted) return { total: known, isTotalEstimated: true };
  if (!isAll || vendorTotal === null) return { total: known + 1, isTotalEstimated: true };
  const total = Math.max(known + 1, vendorTotal - dropped - (matches.length - known));
  return { total, ...(dropped > 0 ? { isTotalEstimated: true as const } : {}) };
}

/** Of two values, the filter says which one it is; of all others it says less than the record would. */
function hiringOf(record: CompanyRecord, query: CompanyQuery, exact: readonly string[]): CompanyRecord {
  const { is_hiring: isHiring } = query;
  const isVouched = isHiring !== undefined && record.is_hiring === null && exact.includes('is_hiring');
  return isVouched ? { ...record, is_hiring: isHiring } : record;
}

const COMPANIES: Kind<CompanyQuery, CompanyRecord> = {
  name: 'searchCompanies',
  matches: (record, query, { exact }) => companyMatches(record, query, new Set(exact)),
  completed: (record, query, { exact }) => hiringOf(record, query, exact),
  compare: compareCompanies,
  cap: () => undefined,
  companyId: ({ id }) => id,
};
const PEOPLE: Kind<PeopleQuery, PersonRecord> = {
  name: 'searchPeople',
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

/** A vendor as a directory; `isOwn` with an organisation's own key. */
type OfVendor<Directory> = Directory & { readonly isOwn?: boolean };

/** What a vendor is a directory of; null where it has no such search. */
export interface VendorDirectories {
  readonly companies: OfVendor<CompanyDirectory> | null;
  readonly people: OfVendor<PeopleDirectory> | null;
}

/**
 * @param provider of the vendor, under its policy
 * @param isOwn whether it is asked with an organisation's own key
 * @param bought where the records of the process are kept
 * @returns its directories. Nobody is looked up alone: that is what its services are for, at a price that is told
 */
export function vendorDirectories(
  { id, searches = {} }: Vendor,
  provider: LookupProvider,
  { isOwn = false, bought = new BoughtRecords() }: { isOwn?: boolean; bought?: BoughtRecords } = {},
): VendorDirectories {
  const { searchCompanies, searchPeople } = searches;
  const companies = searchCompanies && new VendorTable(searchCompanies, provider, COMPANIES, bought);
  const people = searchPeople && new VendorTable(searchPeople, provider, PEOPLE, bought);
  return {
    companies: companies
      ? {
          ...{ provider: id, isOwn },
          cannotTell: (query) => companies.cannotTell(query),
          searchCompanies: (query, options) => companies.find(query, options),
          findCompany: () => Promise.resolve(null),
        }
      : null,
    people: people
      ? {
          ...{ provider: id, isOwn },
          cannotTell: (query) => people.cannotTell(query),
          searchPeople: (query, options) => people.find(query, options),
          findPerson: () => Promise.resolve(null),
        }
      : null,
  };
}
