import type { CompanyDirectory, PeopleDirectory } from '@quarry/directory';
import type { OwnVocabulary } from '@quarry/vocabulary';
import type { Ctx, Mode } from '@quarry/app';
import type { ProviderMetrics } from './policy/provider-metrics.js';
import { OrganisationPages, type WebPages } from './ports/web-pages.port.js';
import type { DirectorySearchProvider } from './ports/directory-search.port.js';
import type { Waterfall } from './waterfall.js';

/** Directories to search; null for none. */
export interface Directories {
  readonly companies: CompanyDirectory | null;
  readonly people: PeopleDirectory | null;
}

/** Providers of the services in this process. Domains inject it; the app chooses the binding. */
export abstract class Providers {
  /** @param pages reader of web pages in this process; null when there is none */
  constructor(private readonly pages: WebPages | null) {}

  /** Returns the waterfall of providers for an organisation and a key mode. */
  abstract searcherFor(tenant: Pick<Ctx, 'orgId' | 'mode'>): Pick<Waterfall, 'answerCall'>;
  /** Returns the provider of a fast service that does not search a directory; null when there is none. */
  abstract lookupFor(
    service: string,
    tenant: Pick<Ctx, 'orgId' | 'mode'>,
  ): Promise<Pick<Waterfall, 'answerCall'> | null>;
  /** Returns the provider that searches a directory in a fast service; null when there is none. */
  abstract directorySearchFor(
    service: string,
    tenant: Pick<Ctx, 'orgId' | 'mode'>,
  ): Promise<DirectorySearchProvider | null>;
  /** @returns a function that lists the ids of the providers of a service, slow or fast, in call order */
  abstract providersFor(tenant: Pick<Ctx, 'orgId' | 'mode'>): Promise<(service: string) => string[]>;
  /**
   * Returns the reason why no provider implements a service, and which could: one or two sentences for customers, without
   * secrets.
   */
  abstract unavailableReason(service: string, mode: Mode): string;
  /**
   * Returns the reader of web pages for an organisation and a key mode; null when there is none. Test keys see only fictional
   * data.
   */
  pagesFor({ orgId, mode }: Pick<Ctx, 'orgId' | 'mode'>): WebPages | null {
    return mode === 'test' || !this.pages ? null : new OrganisationPages(orgId, this.pages);
  }

  /** Returns the directories that an organisation and a key mode may read. */
  abstract directoriesFor(tenant: Pick<Ctx, 'orgId' | 'mode'>): Promise<Directories>;
  /** Returns the words that the organisation's directories add to the vocabulary; null for none. */
  abstract vocabularyFor(tenant: Pick<Ctx, 'orgId' | 'mode'>): Promise<OwnVocabulary | null>;
  /** Returns the metrics of each of the operator's vendors in this process. */
  abstract readMetrics(): ProviderMetrics[];
}
