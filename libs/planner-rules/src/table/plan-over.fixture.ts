import { DeterministicPlanner } from '../deterministic.planner.js';
import type { PlannerKnowledge, TableProfile } from '../planner.port.js';
import type { RunPlan } from '../run-plan.js';

/** @returns the plan of a prompt in an organisation that has one table, and has said nothing before */
export function planBeside(
  table: TableProfile,
  prompt: string,
  output: PlannerKnowledge['output'] = null,
): Promise<RunPlan> {
  return new DeterministicPlanner().plan(prompt, {
    tables: [table],
    tableProfile: async () => table,
    previousPlan: null,
    output,
    referenceYear: 2025,
  });
}

/** @returns the plan of a prompt that names the table */
export function planOver(
  table: TableProfile,
  asked: string,
  output: PlannerKnowledge['output'] = null,
): Promise<RunPlan> {
  return planBeside(table, `From my table "${table.name}": ${asked}`, output);
}
