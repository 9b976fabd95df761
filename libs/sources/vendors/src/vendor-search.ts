import type { CompanyQuery, CompanyRecord, PeopleQuery, PersonRecord } from '@quarry/directory';
import type { z } from 'zod';
import type { Cost } from '@quarry/engine';
import type { VendorLimits, VendorRequest } from './vendor.js';

/** Query and record of each search that a vendor may answer. */
export interface VendorSearches {
  searchCompanies: { query: CompanyQuery; record: CompanyRecord };
  searchPeople: { query: PeopleQuery; record: PersonRecord };
}
export type VendorSearchName = keyof VendorSearches;

/** A query as a vendor is asked for it. */
export interface VendorQuery {
  /** The vendor's words for the query; can be stored as JSON. */
  words: unknown;
  /** Names of filters that the vendor applies by itself; those of a person's company apart. */
  exact: readonly string[];
  exactOfCompany: readonly string[];
  /** True where the vendor leaves out all that the query rules out; without meaning where it rules nothing out. */
  saysNot: boolean;
  /** Names of filters that neither the vendor nor its records can answer, those of a person's company with `company_` before them. */
  unanswerable: readonly string[];
}

/** Page of a search. */
export interface PageAsk {
  /** Records at most. */
  size: number;
  /** Cursor that the page before has given; null for the first. */
  cursor: string | null;
}

/** Records of one call, null for one that lacks what every record must have. */
export interface SearchedPage<Found = unknown> {
  found: readonly Found[];
  /** Matches in all as the vendor counts them; null where it does not say. */
  total: number | null;
  /** null behind the last record. */
  next: string | null;
  /** The vendor has more behind its last page. */
  isCut?: boolean;
}

/** For vendors whose search shows too little: each find is asked for again, by its key, and paid then. */
export interface VendorReveal {
  /** Keys of one call. */
  size: number;
  request(keys: readonly string[]): VendorRequest;
  answer: z.ZodType;
  /** @returns the records that the vendor gives, by their keys */
  records(answer: unknown): ReadonlyMap<string, unknown>;
  cost?(answer: unknown): Cost | null;
}

/** One search of a directory by a vendor. */
export interface VendorSearch {
  /** Inputs that it can search by, and the price of a find, in words for docs/providers.md. */
  needs: string;
  price: string;
  /** Those of the vendor where left out. */
  limits?: VendorLimits;
  /** Most records of one call. */
  pageMax: number;
  query(query: never): VendorQuery;
  request(words: unknown, ask: PageAsk): VendorRequest;
  answer: z.ZodType;
  /** @returns what was found: records, or keys where there is a {@link VendorReveal}; null for one without */
  page(answer: unknown, ask: PageAsk): SearchedPage;
  reveal?: VendorReveal;
  cost?(answer: unknown): Cost | null;
}

/** The same search with its types known: {@link VendorSearch} forgets them. */
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

/** @param _name of the search, which gives query and record their types */
export function defineSearch<
  Name extends VendorSearchName,
  Words,
  Answer extends z.ZodType,
  Revealed extends z.ZodType,
>(_name: Name, search: TypedSearch<Name, Words, Answer, Revealed>): VendorSearch {
  return search as unknown as VendorSearch;
}
