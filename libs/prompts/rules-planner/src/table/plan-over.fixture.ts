import type { RunPlan, TableProfile } from '@quarry/plan';
import { planPrompt, type Beside } from '../plan-prompt.fixture.js';

/** @returns the plan of a prompt in an organisation that has one table, and has said nothing before */
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
