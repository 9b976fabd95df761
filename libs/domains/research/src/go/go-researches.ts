import { Inject, Injectable } from '@nestjs/common';
import type { OutputSchema } from '@quarry/extraction';
import {
  LANGUAGE_MODEL,
  ModelResearch,
  type LanguageModel,
  type ModelAsk,
  type Research,
} from '@quarry/language-models';
import { Providers } from '@quarry/engine';
import type { LeasedGoRun } from './go-lease.store.js';
import type { GoOutcome } from './go-steps.js';
import { SCHEMA_DEFAULT } from './go-terms.js';
import { domainsNamedIn, ResearchScope } from './research-scope.js';
import { StructuredDataResearch } from './structured-data-research.js';

/** Research whose steps this process can perform. */
export interface GoResearch extends Research<GoOutcome> {
  /** @returns the model's request for a `think` step; omitted if there is no model */
  ask?(leftMs: number, leftCredits: number): Omit<ModelAsk, 'signal'>;
}

/** Chooses the research of a run: with the model if there is one, else by structured data of pages. */
@Injectable()
export class GoResearches {
  constructor(
    private readonly providers: Providers,
    @Inject(LANGUAGE_MODEL) private readonly model: LanguageModel | null,
  ) {}

  /** @returns the research of a run, at its start; null if this process has no page reader */
  openResearch({ ctx, request }: LeasedGoRun): GoResearch | null {
    const pages = this.providers.pagesFor(ctx);
    if (!pages) return null;
    // URLs that differ only in their fragment are the same page, which is paid once.
    const urls = [...new Set(request.urls?.map((url) => url.replace(/#.*/s, '')))];
    if (!this.model) return new StructuredDataResearch({ ...request, urls }, pages);
    const { prompt, schema = SCHEMA_DEFAULT } = request;
    const scope = new ResearchScope(request);
    return new ModelResearch({
      prompt,
      schema: schema as OutputSchema,
      urls,
      allows: (url) => scope.allowsUrl(url),
      ownDomains: domainsNamedIn(prompt),
    });
  }
}
