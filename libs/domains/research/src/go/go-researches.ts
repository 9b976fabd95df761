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

/** Research that this process can do the steps of. */
export interface GoResearch extends Research<GoOutcome> {
  /** @returns what a step that thinks asks of the model; left out where nothing thinks */
  ask?(leftMs: number, leftCredits: number): Omit<ModelAsk, 'signal'>;
}

/** Chooses how a run is researched: with the model where there is one, else by what pages state. */
@Injectable()
export class GoResearches {
  constructor(
    private readonly providers: Providers,
    @Inject(LANGUAGE_MODEL) private readonly model: LanguageModel | null,
  ) {}

  /** @returns the research of a run at its beginning; null where nobody reads pages any more */
  openResearch({ ctx, request }: LeasedGoRun): GoResearch | null {
    const pages = this.providers.pagesFor(ctx);
    if (!pages) return null;
    // Addresses that differ in their fragment are one page, which is paid once.
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
