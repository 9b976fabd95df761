import type { RunPlan } from '@quarry/plan';
import { findSlowService } from '@quarry/service-catalog';

/** What plans can make and cost at most. */
export interface PlanEstimate {
  /** Rows of all tables. */
  rows: number;
  /** Those of them that have paid columns. */
  paidRows: number;
  creditsMax: number;
}

/**
 * Every row that a table gets at most, times every paid column's price without a Deep agent, as runs ask for none; and what looking
 * for them on the web may cost.
 */
export function estimateOf(plans: readonly RunPlan[]): PlanEstimate {
  let [rows, paidRows, thousandths] = [0, 0, 0];
  for (const plan of plans) {
    if (plan.isEmpty) continue;
    const prices = plan.columns.flatMap(({ source }) =>
      source.from === 'service' ? [findSlowService(source.service)!.worstCase({})] : [],
    );
    rows += plan.limit;
    paidRows += prices.length > 0 ? plan.limit : 0;
    // Looking on the web is paid by the step, whatever is found.
    thousandths += plan.source.kind === 'web' ? plan.source.max_credits * 1000 : 0;
    thousandths += plan.limit * prices.reduce((sum, price) => sum + price, 0);
  }
  return { rows, paidRows, creditsMax: thousandths / 1000 };
}
