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
 * Budget of one research. A page is useless unless the model, if there is one, can still draw a conclusion from it: so
 * pages and searches must leave the price of one model call.
 */
export class ResearchBudget {
  private spent: Millicredits = 0;

  /**
   * @param most thousandths of a credit
   * @param thinks whether a model draws the conclusions
   */
  constructor(
    private readonly most: Millicredits,
    private readonly thinks: boolean,
  ) {}

  /** Cost of the finished steps, in thousandths. */
  get used(): Millicredits {
    return this.spent;
  }

  addCost(cost: Millicredits): void {
    this.spent += cost;
  }

  /** @returns the remaining budget after this step, in thousandths; negative if it cannot be paid */
  leftAfter({ kind }: PricedStep): Millicredits {
    return this.most - this.spent - STEP_PRICES[kind];
  }

  /**
   * @returns `paid`: the step may be performed. `refused`: it may not, and the model is told so ({@link unaffordableStep}).
   *   `spent`: no further step is possible
   */
  checkStep(step: PricedStep): 'paid' | 'refused' | 'spent' {
    const left = this.leftAfter(step);
    const isFollowed = this.thinks && (step.kind === 'read' || step.kind === 'search');
    if (isFollowed) return left < STEP_PRICES.think ? 'refused' : 'paid';
    return left < 0 ? 'spent' : 'paid';
  }
}
