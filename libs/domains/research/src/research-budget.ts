import type { Millicredits } from '@quarry/credit-ledger';
import type { SourcingStep } from '@quarry/language-models';

type PricedStep = Pick<SourcingStep, 'kind'>;

/** Price of each kind of step, in thousandths of a credit. Source: docs/contract.md#6-go. */
export const STEP_PRICES: Readonly<Record<PricedStep['kind'], Millicredits>> = {
  read: 1000,
  search: 500,
  think: 1000,
  check: 0,
};

/**
 * Budget of one research. A read page is worth nothing unless the model, where there is one, can still draw a
 * conclusion from it: so pages and searches leave the price of one answer.
 */
export class ResearchBudget {
  private spent: Millicredits = 0;

  /**
   * @param most thousandths of a credit
   * @param thinks whether a model says what follows from what is read
   */
  constructor(
    private readonly most: Millicredits,
    private readonly thinks: boolean,
  ) {}

  /** Thousandths that finished steps have cost. */
  get used(): Millicredits {
    return this.spent;
  }

  addCost(cost: Millicredits): void {
    this.spent += cost;
  }

  /** @returns what is left, in thousandths, once this step is paid; below zero where it cannot be */
  leftAfter({ kind }: PricedStep): Millicredits {
    return this.most - this.spent - STEP_PRICES[kind];
  }

  /**
   * @returns `paid`: the step may be done. `refused`: it is not done, and the model is told so ({@link unaffordable}). `spent`: nothing
   *   more can be done at all
   */
  checkStep(step: PricedStep): 'paid' | 'refused' | 'spent' {
    const left = this.leftAfter(step);
    const isFollowed = this.thinks && (step.kind === 'read' || step.kind === 'search');
    if (isFollowed) return left < STEP_PRICES.think ? 'refused' : 'paid';
    return left < 0 ? 'spent' : 'paid';
  }
}
