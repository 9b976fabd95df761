import type { RunPlan } from '@quarry/plan';
import { priceOf, serviceCalls } from './services/service-calls.js';

/** Largest size and cost of plans. */
interface PlanEstimate {
  /** Rows of all tables. */
  rows: number;
  /** Those of them that have paid columns. */
  paidRows: number;
  creditsMax: number;
}

/**
 * Every row that a table gets at most, times the highest price of every call that fills columns of it; and what looking for them on
 * the web may cost.
 */
export function estimateOf(plans: readonly RunPlan[]): PlanEstimate {
  let [rows, paidRows, thousandths] = [0, 0, 0];
  for (const plan of plans) {
    if (plan.isEmpty) continue;
    const prices = serviceCalls(plan.columns).flat().map(priceOf);
    rows += plan.limit;
    paidRows += prices.length > 0 ? plan.limit : 0;
    // Looking on the web is paid by the step, whatever is found.
    thousandths += plan.source.kind === 'web' ? plan.source.max_credits * 1000 : 0;
    thousandths += plan.limit * prices.reduce((sum, price) => sum + price, 0);
  }
  return { rows, paidRows, creditsMax: thousandths / 1000 };
}
