import type { DirectorySort } from './attributes/attributes.js';
import type { CompanyQuery, PeopleQuery } from './directory-queries.js';
import type { CompanyRecord, PersonRecord } from './directory-record.js';

export interface DirectorySearchOptions<T> {
  /** Most items of the answer. */
  readonly limit: number;
  /** Items to skip, counted after `exclude` and the cap per company. Default 0. */
  readonly offset?: number;
  /** Default: companies by size, largest first; people by seniority, then by size of their company. */
  readonly sort?: DirectorySort;
  /** Leaves out items that the caller must not have (exclusion lists). They are not counted in `total`. */
  readonly exclude?: (item: T) => boolean;
  /** The directory that has given the pages before: only it is asked, so that pages join. */
  readonly from?: string;
  /** Ends the search; left out, the directory's own limits do. */
  readonly signal?: AbortSignal;
}

export interface DirectoryAnswer<T> {
  /** Provider that answered; every answer of the product names its source. */
  readonly provider: string;
  readonly items: readonly T[];
  /** Matches in all, beyond `limit` and `offset`; never fewer than those that are known of. */
  readonly total: number;
  /** There are so many that they were not counted to the end. */
  readonly isTotalEstimated?: true;
  /** The bill of a vendor goes to the organisation that has searched; left out, to the operator, or there is none. */
  readonly paidBy?: 'organisation';
}

/**
 * Searches companies. The same query always gives the same order. A directory that buys what it gives buys for `limit`: callers
 * ask for what they need.
 */
export interface CompanyDirectory {
  readonly provider: string;
  /**
   * @returns names of what the query filters by, and of what the rows are to be put in order by, where this directory can neither
   *   search nor judge its records: it is not asked. Left out, it can do all
   */
  cannotTell?(query: CompanyQuery, sort?: DirectorySort): readonly string[];
  searchCompanies(
    query: CompanyQuery,
    options: DirectorySearchOptions<CompanyRecord>,
  ): Promise<DirectoryAnswer<CompanyRecord>>;
  /** @param key a domain or a LinkedIn company address; when both are given, the domain decides */
  findCompany(key: CompanyKey): Promise<CompanyRecord | null>;
}

/** Searches people, by what they are and by what their company is. */
export interface PeopleDirectory {
  readonly provider: string;
  /** As {@link CompanyDirectory.cannotTell}; filters of their companies begin with `company_`. */
  cannotTell?(query: PeopleQuery, sort?: DirectorySort): readonly string[];
  searchPeople(
    query: PeopleQuery,
    options: DirectorySearchOptions<PersonRecord>,
  ): Promise<DirectoryAnswer<PersonRecord>>;
  /** Finds one person by LinkedIn address, else by both names with domain or company name. */
  findPerson(key: PersonKey): Promise<PersonRecord | null>;
}

export interface CompanyKey {
  readonly domain?: string;
  readonly linkedin_url?: string;
  readonly name?: string;
}

export interface PersonKey {
  readonly linkedin_url?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly domain?: string;
  readonly company?: string;
}
