import { Inject, Injectable } from '@nestjs/common';
import type { Ctx } from '@quarry/app';
import { LANGUAGE_MODEL, type LanguageModel } from '@quarry/language-models';
import { Providers, type ProviderAnswer, type ProviderCall, type WebPages } from '@quarry/engine';

/** Provider of webSearch. */
export interface SearchEngine {
  /** @throws ProviderFailure */
  answerCall(call: ProviderCall): Promise<ProviderAnswer>;
}

/** Web access of one organisation; null for a missing page reader or search engine. */
export interface ResearchWeb {
  readonly pages: Pick<WebPages, 'readPage'> | null;
  readonly engine: SearchEngine | null;
}

/** Provides the web access of an organisation: through its chosen vendors, with its own keys. */
@Injectable()
export class ResearchWebs {
  constructor(
    private readonly providers: Providers,
    @Inject(LANGUAGE_MODEL) private readonly model: LanguageModel | null,
  ) {}

  /** @returns whether rows can be sourced: there is a language model, a search engine and a page reader */
  async canSource(tenant: Pick<Ctx, 'orgId' | 'mode'>): Promise<boolean> {
    if (this.model === null) return false;
    const { pages, engine } = await this.openWeb(tenant);
    return pages !== null && engine !== null;
  }

  /** @returns web access for a step that does not search: the search engine is not looked up */
  openPages(tenant: Pick<Ctx, 'orgId' | 'mode'>): ResearchWeb {
    return { pages: this.providers.pagesFor(tenant), engine: null };
  }

  async openWeb(tenant: Pick<Ctx, 'orgId' | 'mode'>): Promise<ResearchWeb> {
    return { ...this.openPages(tenant), engine: await this.providers.lookupFor('webSearch', tenant) };
  }
}
