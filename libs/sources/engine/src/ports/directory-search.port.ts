import type { CompanyQuery, PeopleQuery } from '@quarry/directory';
import type { ProviderAnswer, ProviderCall, ServiceProvider } from './lookup.port.js';

/** One page of a search. The caller pages on when it must leave out some of what it got. */
export interface DirectorySearchCall extends ProviderCall {
  /** Wanted records, in the product's vocabulary. */
  wanted: { entity: 'company'; query: CompanyQuery } | { entity: 'person'; query: PeopleQuery };
  limit: number;
  offset: number;
  /** Provider of the pages before; left out for the first. */
  from?: string;
}

/** Items in an order that is the same for every page. */
export interface FoundPage extends ProviderAnswer {
  output: {
    /** Each meets the item of the service's output schema. */
    items: Array<Readonly<Record<string, unknown>>>;
  };
  /** No page comes after this one. */
  isLast: boolean;
}

/** A source that can answer some fast services. */
export type DirectorySearchProvider = ServiceProvider<DirectorySearchCall, FoundPage>;
