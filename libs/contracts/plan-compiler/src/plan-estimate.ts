import type { RunPlan } from '@quarry/plan';
import { priceOf, serviceCalls } from './services/service-calls.js';

/** Maximum size and cost of plans. */
interface PlanEstimate {
  /** Number of rows of all tables. */
  rows: number;
  creditsMax: number;
}

/**
 * Returns the maximum number of rows of each table times the highest price of each call that fills its columns, plus the
 * maximum cost of sourcing from the web.
 */
export function estimateOf(plans: readonly RunPlan[]): PlanEstimate {
  let [rows, thousandths] = [0, 0];
  for (const plan of plans) {
    if (plan.isEmpty) continue;
    const prices = serviceCalls(plan.columns).flat().map(priceOf);
    rows += plan.limit;
    // Sourcing from the web is charged by the step, whatever is found.
    thousandths += plan.source.kind === 'web' ? plan.source.max_credits * 1000 : 0;
    thousandths += plan.limit * prices.reduce((sum, price) => sum + price, 0);
  }
  return { rows, creditsMax: thousandths / 1000 };
}
