import type { DirectorySort } from './attributes/attributes.js';
import type { CompanyQuery, PeopleQuery } from './directory-queries.js';
import type { CompanyRecord, PersonRecord } from './directory-record.js';

export interface DirectorySearchOptions<T> {
  /** Maximum number of items. */
  readonly limit: number;
  /** Items to skip, counted after `exclude` and the maximum per company. Default 0. */
  readonly offset?: number;
  /** Default: companies by size, largest first; people by seniority, then by size of their company. */
  readonly sort?: DirectorySort;
  /**
   * Returns true for items to skip because the caller must not get them (exclusion lists). They are not counted in `total`.
   */
  readonly exclude?: (item: T) => boolean;
  /** Directory that returned the previous pages: only this one is searched, so that pages are consistent. */
  readonly from?: string;
  /** Aborts the search; if omitted, only the directory's own limits apply. */
  readonly signal?: AbortSignal;
}

export interface DirectoryAnswer<T> {
  /** Provider of the items; every response of the product names its source. */
  readonly provider: string;
  readonly items: readonly T[];
  /** Total number of matches, regardless of `limit` and `offset`; at least the known ones. */
  readonly total: number;
  /** Set when the matches were too many to be counted exactly. */
  readonly isTotalEstimated?: true;
  /** Set when a vendor bills the searching organisation; if omitted, the operator is billed, or nobody. */
  readonly paidBy?: 'organisation';
}

/**
 * Searches companies. The same query always gives the same order. A directory of a vendor that charges per record buys
 * `limit` records: callers should request only what they need.
 */
export interface CompanyDirectory {
  readonly provider: string;
  /**
   * @returns names of the filters and the sort key of a query that this directory can neither search by nor check on its
   *   records; then it is not searched. If omitted, it supports all
   */
  cannotTell?(query: CompanyQuery, sort?: DirectorySort): readonly string[];
  searchCompanies(
    query: CompanyQuery,
    options: DirectorySearchOptions<CompanyRecord>,
  ): Promise<DirectoryAnswer<CompanyRecord>>;
}

/** Searches people, by their own attributes and those of their company. */
export interface PeopleDirectory {
  readonly provider: string;
  /** Like {@link CompanyDirectory.cannotTell}; company filters start with `company_`. */
  cannotTell?(query: PeopleQuery, sort?: DirectorySort): readonly string[];
  searchPeople(
    query: PeopleQuery,
    options: DirectorySearchOptions<PersonRecord>,
  ): Promise<DirectoryAnswer<PersonRecord>>;
}

/** Names one company; the domain decides if it is given, else the LinkedIn URL. */
export interface CompanyKey {
  readonly domain?: string;
  readonly linkedin_url?: string;
  readonly name?: string;
}

/** Names one person by LinkedIn URL, else by both names with domain or company name. */
export interface PersonKey {
  readonly linkedin_url?: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly domain?: string;
  readonly company?: string;
}
