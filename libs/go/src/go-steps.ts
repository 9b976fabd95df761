import { Inject, Injectable } from '@nestjs/common';
import {
  LANGUAGE_MODEL,
  type FetchedPage,
  type LanguageModel,
  type ModelAsk,
  type ResearchOutcome,
  type ResearchStep,
} from '@quarry/models';
import { ProviderFailure, Providers, type WebPage } from '@quarry/providers';
import { sha256Of } from './go-journal.js';
import type { LeasedGoRun } from './go-lease.store.js';
import { STEP_PRICES } from './go-terms.js';
import { ResearchScope } from './research-scope.js';

/** A page as the journal keeps it: its text stands apart, by its SHA-256. */
type KeptPage = Omit<FetchedPage, 'text'> & Pick<WebPage, 'stated'>;
/** What a step gave, as the journal keeps it. */
export type KeptOutcome =
  { kind: 'read'; page: KeptPage | null; fault: string | null } | Exclude<ResearchOutcome, { kind: 'read' }>;
/** The same with the text of the page. */
export type GoOutcome =
  | { kind: 'read'; page: (KeptPage & { text: string }) | null; fault: string | null }
  | Exclude<ResearchOutcome, { kind: 'read' }>;

/** For one page, its redirects and its rules included. */
const READ_MS = 30_000;
const SEARCH_MS = 20_000;
const LINKS_KEPT = 200;
const ITEMS_MAX = 10;

/** Does the steps of research: reads pages, searches, asks the model. What cannot be had is told, and costs nothing. */
@Injectable()
export class GoSteps {
  constructor(
    private readonly providers: Providers,
    @Inject(LANGUAGE_MODEL) private readonly model: LanguageModel | null,
  ) {}

  /**
   * @param ask what a model is asked in a step that thinks
   * @returns what the step gave, and its cost in thousandths of a credit
   * @throws LanguageModelError; the signal's reason when the work was taken away
   */
  async perform(
    run: LeasedGoRun,
    step: ResearchStep,
    position: number,
    { signal, ask }: { signal: AbortSignal; ask: () => Omit<ModelAsk, 'signal'> },
  ): Promise<{ outcome: GoOutcome; cost: number }> {
    switch (step.kind) {
      case 'read':
        return this.read(run, step.url, `p${position + 1}`, signal);
      case 'search':
        return this.search(run, step.query, position, signal);
      case 'think': {
        const { text, toolCalls, finish } = await this.model!.complete({ ...ask(), signal });
        return { outcome: { kind: 'think', answer: { text, toolCalls, finish } }, cost: STEP_PRICES.think };
      }
    }
  }

  private async read(run: LeasedGoRun, url: string, id: string, signal: AbortSignal) {
    const nothing = (fault: string) => ({ outcome: { kind: 'read' as const, page: null, fault }, cost: 0 });
    const time = AbortSignal.timeout(READ_MS);
    try {
      const page = await this.providers.pagesFor(run.ctx.mode)?.read(url, AbortSignal.any([signal, time]));
      if (!page) return nothing('There is no page at this address.');
      // A redirect may lead out of what the user wants to be read.
      if (!new ResearchScope(run.request).allows(page.url))
        return nothing('The address leads to a domain that is not to be read.');
      const { text, title, statedFrom, stated } = page;
      const kept = {
        ...{ id, url: page.url, title, statedFrom, stated, text },
        sha256: sha256Of(text),
        retrievedAt: new Date().toISOString(),
        links: page.links.slice(0, LINKS_KEPT),
      };
      return { outcome: { kind: 'read' as const, page: kept, fault: null }, cost: STEP_PRICES.read };
    } catch (error) {
      signal.throwIfAborted();
      if (time.aborted) return nothing('The page did not answer in time.');
      if (error instanceof ProviderFailure) return nothing(error.message);
      throw error;
    }
  }

  private async search(run: LeasedGoRun, query: string, position: number, signal: AbortSignal) {
    const nothing = (fault: string) => ({ outcome: { kind: 'search' as const, items: [], fault }, cost: 0 });
    const time = AbortSignal.timeout(SEARCH_MS);
    const providers = await this.providers.lookupFor('webSearch', run.ctx);
    if (!providers) return nothing('No search engine is configured: read pages by their addresses.');
    try {
      const { output } = await providers.run({
        service: 'webSearch',
        input: { query, limit: ITEMS_MAX },
        searchId: `${run.id}_${position}`,
        signal: AbortSignal.any([signal, time]),
      });
      const items = (output.items as Array<{ title: string | null; url: string; snippet: string | null }>)
        .slice(0, ITEMS_MAX)
        .map(({ title, url, snippet }) => ({ title, url, snippet }));
      return { outcome: { kind: 'search' as const, items, fault: null }, cost: STEP_PRICES.search };
    } catch (error) {
      signal.throwIfAborted();
      if (time.aborted) return nothing('The search engine did not answer in time.');
      if (error instanceof ProviderFailure) return nothing(error.message);
      throw error;
    }
  }
}

/** @returns an outcome as it is kept, and the text that is kept beside it */
export function keptOf(outcome: GoOutcome): { result: KeptOutcome; text: string | null } {
  if (outcome.kind !== 'read' || outcome.page === null) return { result: outcome as KeptOutcome, text: null };
  const { text, ...page } = outcome.page;
  return { result: { ...outcome, page }, text };
}
