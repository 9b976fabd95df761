import type { CompanyDirectory, PeopleDirectory } from '@quarry/directory';
import type { OwnVocabulary } from '@quarry/vocabulary';
import type { Ctx, Mode } from '@quarry/app';
import type { ProviderMetrics } from './policy/provider-metrics.js';
import { OrganisationPages, type WebPages } from './ports/web-pages.port.js';
import type { DirectorySearchProvider } from './ports/directory-search.port.js';
import type { Waterfall } from './waterfall.js';

/** Directories to search; null where there is none. */
export interface Directories {
  readonly companies: CompanyDirectory | null;
  readonly people: PeopleDirectory | null;
}

/** Providers behind the services of this process. Domains inject it; an app chooses how it is bound. */
export abstract class Providers {
  /** @param pages who reads pages of the web in this process; null where nobody does */
  constructor(private readonly pages: WebPages | null) {}

  /** Returns the providers that search for an organisation and a mode of key. */
  abstract searcherFor(tenant: Pick<Ctx, 'orgId' | 'mode'>): Pick<Waterfall, 'answerCall'>;
  /** Returns the provider of a fast service that is no search of a directory; null when there is none. */
  abstract lookupFor(
    service: string,
    tenant: Pick<Ctx, 'orgId' | 'mode'>,
  ): Promise<Pick<Waterfall, 'answerCall'> | null>;
  /** Returns the provider that searches a directory in a fast service; null when there is none. */
  abstract directorySearchFor(
    service: string,
    tenant: Pick<Ctx, 'orgId' | 'mode'>,
  ): Promise<DirectorySearchProvider | null>;
  /** @returns what tells ids of those who answer a service, slow or fast, in the order in which they are asked */
  abstract providersFor(tenant: Pick<Ctx, 'orgId' | 'mode'>): Promise<(service: string) => string[]>;
  /** Returns why nobody answers a service, and who could: one or two sentences without a secret, for customers. */
  abstract unavailableReason(service: string, mode: Mode): string;
  /** Returns who reads pages of the web for an organisation and a mode of key; null where nobody does: test keys meet fiction only. */
  pagesFor({ orgId, mode }: Pick<Ctx, 'orgId' | 'mode'>): WebPages | null {
    return mode === 'test' || !this.pages ? null : new OrganisationPages(orgId, this.pages);
  }

  /** The directories that an organisation and a mode of key may read. */
  abstract directoriesFor(tenant: Pick<Ctx, 'orgId' | 'mode'>): Promise<Directories>;
  /** Returns the words that the organisation's directories have beside those of the vocabulary; null for none. */
  abstract vocabularyFor(tenant: Pick<Ctx, 'orgId' | 'mode'>): Promise<OwnVocabulary | null>;
  /** Returns the metrics of each of the operator's vendors in this process. */
  abstract readMetrics(): ProviderMetrics[];
}
