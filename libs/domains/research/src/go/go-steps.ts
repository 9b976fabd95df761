import { Injectable } from '@nestjs/common';
import type { ModelAsk, ResearchOutcome, ResearchStep } from '@quarry/language-models';
import { ResearchSteps, type ReadPage, type StepOutcome } from '../research-steps.js';
import { ResearchWebs } from '../research-web.js';
import type { LeasedGoRun } from './go-lease.store.js';
import { ResearchScope } from './research-scope.js';

/** A page as the journal keeps it: its text stands apart, by its SHA-256. */
type KeptPage = Omit<ReadPage, 'text'>;
/** Result of a step, as the journal keeps it. */
export type KeptOutcome =
  { kind: 'read'; page: KeptPage | null; fault: string | null } | Exclude<ResearchOutcome, { kind: 'read' }>;
/** The same with the text of the page. */
export type GoOutcome = StepOutcome;

/** Does the steps of Go runs, each within what its request wants to be read. */
@Injectable()
export class GoSteps {
  constructor(
    private readonly steps: ResearchSteps,
    private readonly webs: ResearchWebs,
  ) {}

  /**
   * @param ask what a model is asked in a step that thinks
   * @returns what the step gave, and its cost in thousandths of a credit
   * @throws LanguageModelError; the signal's reason when the work was taken away
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

/** @returns an outcome as it is kept, and the text that is kept beside it */
export function keptOf(outcome: GoOutcome): { result: KeptOutcome; text: string | null } {
  if (outcome.kind !== 'read' || outcome.page === null) return { result: outcome as KeptOutcome, text: null };
  const { text, ...page } = outcome.page;
  return { result: { ...outcome, page }, text };
}
