import { Injectable } from '@nestjs/common';
import type { ModelAsk, ResearchOutcome, ResearchStep } from '@quarry/language-models';
import { ResearchSteps, type ReadPage, type StepOutcome } from '../research-steps.js';
import { ResearchWebs } from '../research-web.js';
import type { LeasedGoRun } from './go-lease.store.js';
import { ResearchScope } from './research-scope.js';

/** A journaled page. Its text is stored separately, by its SHA-256. */
type KeptPage = Omit<ReadPage, 'text'>;
/** Journaled result of a step. */
export type KeptOutcome =
  { kind: 'read'; page: KeptPage | null; fault: string | null } | Exclude<ResearchOutcome, { kind: 'read' }>;
/** Result of a step, including the text of the page. */
export type GoOutcome = StepOutcome;

/** Performs the steps of Go runs, each within the scope of its request. */
@Injectable()
export class GoSteps {
  constructor(
    private readonly steps: ResearchSteps,
    private readonly webs: ResearchWebs,
  ) {}

  /**
   * @param ask returns the model's request for a `think` step
   * @returns the result of the step, and its cost in thousandths of a credit
   * @throws LanguageModelError; the signal's reason if the work was taken away
   */
  async performStep(
    run: LeasedGoRun,
    step: ResearchStep,
    position: number,
    { signal, ask }: { signal: AbortSignal; ask: () => Omit<ModelAsk, 'signal'> },
  ): Promise<{ outcome: GoOutcome; cost: number }> {
    const scope = new ResearchScope(run.request);
    return this.steps.performStep(step, {
      web: step.kind === 'search' ? await this.webs.openWeb(run.ctx) : this.webs.openPages(run.ctx),
      pageId: `p${position + 1}`,
      searchId: `${run.id}_${position}`,
      allows: (url) => scope.allowsUrl(url),
      signal,
      ask,
    });
  }
}

/** @returns the stored form of an outcome, and the text that is stored separately */
export function keptOf(outcome: GoOutcome): { result: KeptOutcome; text: string | null } {
  if (outcome.kind !== 'read' || outcome.page === null) return { result: outcome as KeptOutcome, text: null };
  const { text, ...page } = outcome.page;
  return { result: { ...outcome, page }, text };
}
