import { Inject, Injectable } from '@nestjs/common';
import { LANGUAGE_MODEL, type LanguageModel } from '@quarry/language-models';
import type { Ctx } from '@quarry/app';
import { ResearchWebs } from '@quarry/research';

/** Tells whether rows can be sourced from the web. */
@Injectable()
export class WebAccess {
  constructor(
    private readonly webs: ResearchWebs,
    @Inject(LANGUAGE_MODEL) private readonly model: LanguageModel | null,
  ) {}

  /** @returns whether there is a language model, a search engine and a page reader for this organisation and mode */
  async canSource(tenant: Pick<Ctx, 'orgId' | 'mode'>): Promise<boolean> {
    if (this.model === null) return false;
    const { pages, engine } = await this.webs.openWeb(tenant);
    return pages !== null && engine !== null;
  }
}
