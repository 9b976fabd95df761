import type { PlannerKnowledge } from '../planner.port.js';
import type { RunPlan } from '../run-plan.js';
import type { TableReference } from './table-reference.js';

export async function planTable(
  _r: Extract<TableReference, { kind: 'known' }>,
  _k: PlannerKnowledge,
): Promise<RunPlan> {
  throw new Error('x');
}
