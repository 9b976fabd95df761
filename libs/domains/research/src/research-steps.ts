import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { cleanText } from '@quarry/resilience';
import type { Millicredits } from '@quarry/credit-ledger';
import {
  LANGUAGE_MODEL,
  LanguageModelError,
  type FetchedPage,
  type LanguageModel,
  type ModelAsk,
  type ResearchOutcome,
  type ResearchStep,
  type SourcingStep,
} from '@quarry/language-models';
import { ProviderFailure, type WebPage } from '@quarry/engine';
import { STEP_PRICES } from './research-budget.js';
import type { ResearchWeb } from './research-web.js';

/** A page as read by a step, with its structured data. */
export type ReadPage = FetchedPage & Pick<WebPage, 'stated'>;

/** Result of a step. */
export type StepOutcome =
  | { readonly kind: 'read'; readonly page: ReadPage | null; readonly fault: string | null }
  | Exclude<ResearchOutcome, { kind: 'read' }>;

/** Result of a step, and its cost in thousandths of a credit. */
export interface DoneStep<Outcome> {
  readonly outcome: Outcome;
  readonly cost: Millicredits;
}

/** Inputs and limits of a step. */
export interface StepLimits {
  web: ResearchWeb;
  /** Id for a page that the step may read. */
  pageId: string;
  /** Idempotency key of a search. */
  searchId: string;
  /** @returns whether a URL may be read; also checked for redirects */
  allows: (url: string) => boolean;
  /** @returns the model's request for a `think` step */
  ask: () => Omit<ModelAsk, 'signal'>;
  signal: AbortSignal;
}

/** Time limit per page, including redirects and robots.txt, in milliseconds. */
const READ_MS = 30_000;
const SEARCH_MS = 20_000;
const LINKS_KEPT = 200;
const ITEMS_MAX = 10;
const NO_ANSWER: StepOutcome = { kind: 'think', answer: { text: '', toolCalls: [], finish: 'stop' } };

/**
 * Performs the steps of all kinds of research: reads pages, searches, calls the model. A failed read is reported as a
 * sentence and costs nothing.
 */
@Injectable()
export class ResearchSteps {
  constructor(@Inject(LANGUAGE_MODEL) private readonly model: LanguageModel | null) {}

  /**
   * @returns the result of the step, without NUL and lone surrogates, which the database cannot store, and its cost in
   *   thousandths of a credit
   * @throws LanguageModelError if the model gave no response; the signal's reason if the work was taken away
   */
  async performStep(step: ResearchStep, limits: StepLimits): Promise<DoneStep<StepOutcome>> {
    const outcome = await this.outcomeOf(step, limits);
    // An unreadable response of the model is a free step without tool calls; then the model is called again.
    if (outcome === null) return { outcome: NO_ANSWER, cost: 0 };
    const isPaid = outcome.kind === 'think' || outcome.fault === null;
    return { outcome, cost: isPaid ? STEP_PRICES[step.kind] : 0 };
  }

  /** @returns null for an unreadable response of the model */
  private outcomeOf(step: ResearchStep, limits: StepLimits): Promise<StepOutcome | null> {
    switch (step.kind) {
      case 'read':
        return this.readPage(step.url, limits);
      case 'search':
        return this.searchWeb(step.query, limits);
      case 'think':
        return this.askModel(limits);
    }
  }

  private async askModel({ ask, signal }: StepLimits): Promise<StepOutcome | null> {
    try {
      const { text, toolCalls, finish } = await this.model!.completePrompt({ ...ask(), signal });
      return { kind: 'think', answer: cleanText({ text, toolCalls, finish }) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LanguageModelError) || error.failure !== 'invalid_output') throw error;
      return null;
    }
  }

  private async readPage(url: string, { web, pageId, allows, signal }: StepLimits): Promise<StepOutcome> {
    const nothing = (fault: string): StepOutcome => ({ kind: 'read', page: null, fault });
    const time = AbortSignal.timeout(READ_MS);
    try {
      const read = await web.pages?.readPage(url, AbortSignal.any([signal, time]));
      if (!read) return nothing('There is no page at this address.');
      if (!allows(read.url)) return nothing('The address leads to a domain that is not to be read.');
      const { text, title, statedFrom, stated, links } = cleanText(read);
      const page = {
        id: pageId,
        url: read.url,
        title,
        statedFrom,
        stated,
        text,
        sha256: createHash('sha256').update(text).digest('hex'),
        retrievedAt: new Date().toISOString(),
        links: links.slice(0, LINKS_KEPT),
      };
      return { kind: 'read', page, fault: null };
    } catch (error) {
      return nothing(faultOf(error, signal, time, 'The page did not answer in time.'));
    }
  }

  private async searchWeb(query: string, { web, searchId, signal }: StepLimits): Promise<StepOutcome> {
    const nothing = (fault: string): StepOutcome => ({ kind: 'search', items: [], fault });
    if (!web.engine) return nothing('No search engine is configured: read pages by their addresses.');
    const time = AbortSignal.timeout(SEARCH_MS);
    try {
      const { output } = await web.engine.answerCall({
        service: 'webSearch',
        input: { query, limit: ITEMS_MAX },
        searchId,
        signal: AbortSignal.any([signal, time]),
      });
      const items = (output.items as Array<{ title: string | null; url: string; snippet: string | null }>)
        .slice(0, ITEMS_MAX)
        .map(({ title, url, snippet }) => cleanText({ title, url, snippet }));
      return { kind: 'search', items, fault: null };
    } catch (error) {
      return nothing(faultOf(error, signal, time, 'The search engine did not answer in time.'));
    }
  }
}

/** @returns the message to the model for a page or a search that the budget does not allow; it costs nothing */
export function unaffordableStep({ kind }: Pick<SourcingStep, 'kind'>): StepOutcome {
  const fault = 'The budget does not allow another one: hand in what the pages that were read prove.';
  return kind === 'read' ? { kind, page: null, fault } : { kind: 'search', items: [], fault };
}

/** Returns the message of a remote failure. @throws any other error */
function faultOf(error: unknown, signal: AbortSignal, time: AbortSignal, late: string): string {
  signal.throwIfAborted();
  if (time.aborted) return late;
  if (error instanceof ProviderFailure) return error.message;
  throw error;
}
