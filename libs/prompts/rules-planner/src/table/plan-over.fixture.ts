import type { RunPlan, TableProfile } from '@quarry/plan';
import { planPrompt, type Beside } from '../plan-prompt.fixture.js';

/** @returns the plan of a first prompt in an organisation with one table */
export function planBeside(
  table: TableProfile,
  prompt: string,
  output: Beside['output'] = null,
): Promise<RunPlan> {
  return planPrompt(prompt, { tables: [table], output });
}

/** @returns the plan of a prompt that names the table */
export function planOver(
  table: TableProfile,
  prompt: string,
  output: Beside['output'] = null,
): Promise<RunPlan> {
  return planBeside(table, `From my table "${table.name}": ${prompt}`, output);
}
