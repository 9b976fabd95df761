import type { CompanyQuery, PeopleQuery } from '@quarry/directory';
import type { ProviderAnswer, ProviderCall, ServiceProvider } from './lookup.port.js';

/** One page of a search. The caller requests further pages when it must skip some of the records. */
export interface DirectorySearchCall extends ProviderCall {
  /** Requested records, in the product's vocabulary. */
  wanted: { entity: 'company'; query: CompanyQuery } | { entity: 'person'; query: PeopleQuery };
  limit: number;
  offset: number;
  /** Provider of the previous pages; omitted for the first page. */
  from?: string;
}

/** Page of results. The order of the items is the same across all pages. */
export interface FoundPage extends ProviderAnswer {
  output: {
    /** Items that match the item schema of the service's output. */
    items: Array<Readonly<Record<string, unknown>>>;
  };
  /** True when this is the last page. */
  isLast: boolean;
}

/** Source that implements some of the directory searches. */
export type DirectorySearchProvider = ServiceProvider<DirectorySearchCall, FoundPage>;
