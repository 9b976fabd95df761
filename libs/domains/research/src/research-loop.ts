import { toCredits } from '@quarry/credit-ledger';
import type { SourcingOutcome, SourcingStep } from '@quarry/language-models';
import type { ResearchBudget } from './research-budget.js';
import { unaffordableStep, type DoneStep, type StepLimits, type StepOutcome } from './research-steps.js';

/** Research as a machine over a journal: it says which step is next, and takes what each has given. */
interface ResearchMachine<Step, Outcome> {
  next(): Step | null;
  apply(step: Step, outcome: Outcome): void;
  /** Left out where nothing thinks. */
  ask?(leftMs: number, leftCredits: number): ReturnType<StepLimits['ask']>;
}

export interface ResearchWork<Step, Outcome> {
  readonly research: ResearchMachine<Step, Outcome>;
  readonly budget: Pick<ResearchBudget, 'checkStep' | 'leftAfter' | 'addCost'>;
  /** Position of the first step; 0 when left out. */
  readonly from?: number;
  /** @throws what ends the work where it was taken away; {@link ResearchEnded} */
  readonly beforeStep?: (position: number) => Promise<void>;
  /** Returns what is left of the time; no step begins without any. */
  readonly leftMs: () => number;
  /**
   * Gives what a step has given before, else performs it and keeps what it gives; left out, nothing is kept.
   * @param begin returns the step, and is called before one is performed that has not begun
   */
  readonly keep?: (
    at: { position: number; isRefused: boolean },
    begin: () => Step,
    perform: (step: Step) => Promise<DoneStep<Outcome>>,
  ) => Promise<DoneStep<Outcome>>;
  /**
   * @param ask returns what a model is asked in a step that thinks
   * @throws ResearchEnded where no further step follows
   */
  readonly perform: (step: Step, position: number, ask: StepLimits['ask']) => Promise<DoneStep<Outcome>>;
}

/** No further step begins, for a reason that whoever performs them gives. */
export class ResearchEnded<Reason extends string> extends Error {
  constructor(readonly reason: Reason) {
    super(`The research has ended: ${reason}.`);
  }
}

/**
 * Does the steps of a research, whoever researches, until there is none, or the budget or the time is spent. Each is charged to the
 * budget once: when it is done, or when it is found to have been.
 * @returns the position at which no step was done, and why
 * @throws what a step throws
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
