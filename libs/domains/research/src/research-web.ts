import { Injectable } from '@nestjs/common';
import type { Ctx } from '@quarry/app';
import { Providers, type ProviderAnswer, type ProviderCall, type WebPages } from '@quarry/engine';

/** Provider of webSearch. */
export interface SearchEngine {
  /** @throws ProviderFailure */
  answerCall(call: ProviderCall): Promise<ProviderAnswer>;
}

/** The web as one organisation reaches it; null where nobody reads pages, or nobody searches. */
export interface ResearchWeb {
  readonly pages: Pick<WebPages, 'readPage'> | null;
  readonly engine: SearchEngine | null;
}

/** Says how an organisation reaches the web: through the vendors that it has chosen, with its own keys. */
@Injectable()
export class ResearchWebs {
  constructor(private readonly providers: Providers) {}

  /** @returns the web for a step that searches nothing: nobody is asked who would search */
  openPages(tenant: Pick<Ctx, 'orgId' | 'mode'>): ResearchWeb {
    return { pages: this.providers.pagesFor(tenant), engine: null };
  }

  async openWeb(tenant: Pick<Ctx, 'orgId' | 'mode'>): Promise<ResearchWeb> {
    return {
      ...this.openPages(tenant),
      engine: await this.providers.lookupFor('webSearch', tenant),
    };
  }
}
