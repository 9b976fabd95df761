import { toCredits } from '@quarry/credit-ledger';
import type { SourcingOutcome, SourcingStep } from '@quarry/language-models';
import type { ResearchBudget } from './research-budget.js';
import { unaffordableStep, type DoneStep, type StepLimits, type StepOutcome } from './research-steps.js';

/** Research as a state machine over a journal: it returns the next step, and receives the result of each. */
interface ResearchMachine<Step, Outcome> {
  next(): Step | null;
  apply(step: Step, outcome: Outcome): void;
  /** Omitted if there is no model. */
  ask?(leftMs: number, leftCredits: number): ReturnType<StepLimits['ask']>;
}

export interface ResearchWork<Step, Outcome> {
  readonly research: ResearchMachine<Step, Outcome>;
  readonly budget: Pick<ResearchBudget, 'checkStep' | 'leftAfter' | 'addCost'>;
  /** Position of the first step; 0 by default. */
  readonly from?: number;
  /** @throws an error if the work was taken away; {@link ResearchEnded} */
  readonly beforeStep?: (position: number) => Promise<void>;
  /** Returns the remaining time; no step starts without any. */
  readonly leftMs: () => number;
  /**
   * Returns the stored result of a step, or performs it and stores its result. Without it nothing is stored.
   * @param begin returns the step; called before a step that has not been started yet is performed
   */
  readonly keep?: (
    at: { position: number; isRefused: boolean },
    begin: () => Step,
    perform: (step: Step) => Promise<DoneStep<Outcome>>,
  ) => Promise<DoneStep<Outcome>>;
  /**
   * @param ask returns the model's request for a `think` step
   * @throws ResearchEnded if there are no more steps
   */
  readonly perform: (step: Step, position: number, ask: StepLimits['ask']) => Promise<DoneStep<Outcome>>;
}

/** Ends the research before the next step, for a reason given by the caller. */
export class ResearchEnded<Reason extends string> extends Error {
  constructor(readonly reason: Reason) {
    super(`The research has ended: ${reason}.`);
  }
}

/**
 * Performs the steps of a research until there are no more, or the budget or the time is spent. Each step is charged to
 * the budget once: when it is performed, or when its stored result is used.
 * @returns the position at which no step was performed, and the reason
 * @throws the error of a step
 */
export async function performResearch<
  Step extends SourcingStep,
  Outcome extends StepOutcome | SourcingOutcome,
  Reason extends string = never,
>(
  work: ResearchWork<Step, Outcome>,
): Promise<{ position: number; reason: 'complete' | 'budget' | 'time' | Reason }> {
  const { research, budget, leftMs, keep = (_at, begin, perform) => perform(begin()) } = work;
  for (let position = work.from ?? 0; ; position += 1)
    try {
      await work.beforeStep?.(position);
      const next = research.next();
      if (!next) return { position, reason: 'complete' };
      const verdict = budget.checkStep(next);
      if (verdict === 'spent') return { position, reason: 'budget' };
      const left = toCredits(budget.leftAfter(next));
      const isRefused = verdict === 'refused';
      const begin = (): Step => {
        if (leftMs() <= 0) throw new ResearchEnded('time');
        return next;
      };
      const { outcome, cost } = await keep({ position, isRefused }, begin, async (step) =>
        isRefused
          ? { outcome: unaffordableStep(step) as Outcome, cost: 0 }
          : work.perform(step, position, () => research.ask!(Math.max(1, leftMs()), left)),
      );
      budget.addCost(cost);
      research.apply(next, outcome);
    } catch (error) {
      if (error instanceof ResearchEnded) return { position, reason: error.reason as 'time' | Reason };
      throw error;
    }
}
