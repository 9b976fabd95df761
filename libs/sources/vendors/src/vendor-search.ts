import type { CompanyQuery, CompanyRecord, PeopleQuery, PersonRecord } from '@quarry/directory';
import type { z } from 'zod';
import type { Cost } from '@quarry/engine';
import type { VendorLimits, VendorRequest } from './vendor.js';

/** Query and record types of each search that a vendor may support. */
export interface VendorSearches {
  searchCompanies: { query: CompanyQuery; record: CompanyRecord };
  searchPeople: { query: PeopleQuery; record: PersonRecord };
}
export type VendorSearchName = keyof VendorSearches;

/** Query, translated for a vendor. */
export interface VendorQuery {
  /** Query in the vendor's own form; serialisable as JSON. */
  words: unknown;
  /** Names of filters that the vendor applies exactly; those of a person's company separately. */
  exact: readonly string[];
  exactOfCompany: readonly string[];
  /** True when the vendor excludes everything that the query excludes; has no meaning without exclusions. */
  saysNot: boolean;
  /**
   * Names of filters that neither the vendor nor its records can answer; those of a person's company start with `company_`.
   */
  unanswerable: readonly string[];
}

/** Requested page of a search. */
export interface PageAsk {
  /** Maximum number of records. */
  size: number;
  /** Cursor from the previous page; null for the first. */
  cursor: string | null;
}

/** Records of one call; null for a record without the required fields. */
export interface SearchedPage<Found = unknown> {
  found: readonly Found[];
  /** Total number of matches according to the vendor; null when it does not report one. */
  total: number | null;
  /** Cursor of the next page; null after the last record. */
  next: string | null;
  /** True when the vendor has more matches than it returns. */
  isCut?: boolean;
}

/** Second step for vendors whose search returns too few fields: each record is requested by its key, and charged then. */
export interface VendorReveal {
  /** Maximum number of keys per call. */
  size: number;
  request(keys: readonly string[]): VendorRequest;
  answer: z.ZodType;
  /** @returns the returned records, by key */
  records(answer: unknown): ReadonlyMap<string, unknown>;
  cost?(answer: unknown): Cost | null;
}

/** Directory search of a vendor. */
export interface VendorSearch {
  /** Supported filters, and the price of a record, as text for docs/providers.md. */
  needs: string;
  price: string;
  /** Limits of this search; if omitted, those of the vendor. */
  limits?: VendorLimits;
  /** Maximum number of records per call. */
  pageMax: number;
  query(query: never): VendorQuery;
  request(words: unknown, ask: PageAsk): VendorRequest;
  answer: z.ZodType;
  /** @returns the records, or keys with a {@link VendorReveal}; null for a result without a key */
  page(answer: unknown, ask: PageAsk): SearchedPage;
  reveal?: VendorReveal;
  cost?(answer: unknown): Cost | null;
}

/** Typed form of a search: {@link VendorSearch} erases its types. */
interface TypedSearch<
  Name extends VendorSearchName,
  Words,
  Answer extends z.ZodType,
  Revealed extends z.ZodType,
> extends Omit<VendorSearch, 'query' | 'request' | 'answer' | 'page' | 'reveal' | 'cost'> {
  query(query: VendorSearches[Name]['query']): VendorQuery & { words: Words };
  request(words: Words, ask: PageAsk): VendorRequest;
  answer: Answer;
  page(answer: z.infer<Answer>, ask: PageAsk): SearchedPage<VendorSearches[Name]['record'] | string | null>;
  reveal?: Omit<VendorReveal, 'answer' | 'records' | 'cost'> & {
    answer: Revealed;
    records(answer: z.infer<Revealed>): ReadonlyMap<string, VendorSearches[Name]['record'] | null>;
    cost?(answer: z.infer<Revealed>): Cost | null;
  };
  cost?(answer: z.infer<Answer>): Cost | null;
}

/** @param _name of the search, which determines the types of query and record */
export function defineSearch<
  Name extends VendorSearchName,
  Words,
  Answer extends z.ZodType,
  Revealed extends z.ZodType,
>(_name: Name, search: TypedSearch<Name, Words, Answer, Revealed>): VendorSearch {
  return search as unknown as VendorSearch;
}
