import {
  type ContractTable,
  type PlanAsk,
  type PreviousPlan,
  readOutputContract,
  type RunPlan,
  type TableProfile,
} from '@quarry/plan';
import { compilePlan, intentFaults } from '@quarry/plan-compiler';
import { RulesPlanner } from './rules.planner.js';

/** Context of a spec's prompt. */
export interface Beside {
  readonly tables?: readonly TableProfile[];
  readonly previousPlan?: RunPlan | null;
  /** Output contract of the run as it is sent. */
  readonly output?: Readonly<Record<string, unknown>> | null;
}

/** Intent and shape of each plan of these specs. */
const made = new WeakMap<RunPlan, PreviousPlan & { readonly shape: ContractTable | null }>();

/** Limits that nothing reaches. */
const UNLIMITED = { signal: new AbortController().signal, deadlineMs: Infinity };
const CTX = { orgId: 'org_spec', mode: 'live', requestId: 'spec' } as const;

/** @returns what a run would make of a prompt: the compiled plan of the first table */
export async function planPrompt(prompt: string, beside: Beside = {}): Promise<RunPlan> {
  const [plan] = await planTables(prompt, beside);
  return plan as RunPlan;
}

/** @returns one plan for each table of the output contract */
export async function planTables(prompt: string, beside: Beside = {}): Promise<RunPlan[]> {
  const { tables = [], previousPlan = null } = beside;
  const output = beside.output ? readOutputContract({ ...beside.output }).tables : [];
  const previous = previousPlan && made.get(previousPlan);
  const ask: PlanAsk = {
    prompt,
    output,
    previous: previous ?? null,
    tables,
    tableProfile: async (id) => profileIn(tables, id),
    referenceYear: 2025,
  };
  const { intents } = await new RulesPlanner().createPlan(ask, CTX, UNLIMITED);
  return intents.map((intent, i) => {
    const table = intent.source.kind === 'table' ? profileIn(tables, intent.source.table_id) : null;
    const earlier = previous?.shape ?? null;
    const context = { prompt, output: output[i] ?? null, earlier: intent.continues ? earlier : null, table };
    const faults = intentFaults(intent, context);
    if (faults.length > 0)
      throw new Error(`The intent for ${JSON.stringify(prompt)} has faults: ${faults.join('; ')}`);
    const plan = compilePlan(intent, { output: output[i] ?? null, earlier, table });
    made.set(plan, { intent, plan, shape: output[i] ?? (intent.continues ? earlier : null) });
    return plan;
  });
}

function profileIn(tables: readonly TableProfile[], id: string): TableProfile {
  const found = tables.find((table) => table.id === id);
  if (!found) throw new Error(`No table has the id ${id}.`);
  return found;
}
