import { readingsOf, type Reading, type StoredPlan } from '@quarry/plan-compiler';
import type { Ctx } from '@quarry/app';
import { isoTime, TENANT, tenantOf, type Database, type TxCtx } from '@quarry/postgres';
import type { PromptRequest, PromptPlans, ReadPrompt } from './prompt-plans.js';
import { statement } from '../statements.types.js';

/** A stored plan: the prompt, its place, and how it was read. */
export interface PlanRecord {
  readonly id: string;
  readonly prompt: string;
  readonly workspaceId: string | null;
  readonly conversationId: string | null;
  readonly output: Readonly<Record<string, unknown>> | null;
  readonly planner: ReadPrompt['planner'];
  readonly plans: readonly StoredPlan[];
  readonly understood: readonly Reading[];
  /** The first plan of a chain of corrections; null for a plan that corrects none. */
  readonly rootPlanId: string | null;
}

/** Returns how the fragments of a prompt were read, for all of its tables. */
export async function understoodOf(
  plans: Pick<PromptPlans, 'profileOf'>,
  promptRequest: PromptRequest,
  stored: readonly StoredPlan[],
): Promise<Reading[]> {
  const each = stored.map(async ({ intent, plan }) =>
    intent ? readingsOf({ intent, plan }, await plans.profileOf(promptRequest, intent)) : [],
  );
  return (await Promise.all(each)).flat();
}

/** Stores a plan; an id that exists is left as it is. @returns the time of creation; null when it existed */
export async function insertPlan(
  database: Database,
  ctx: Ctx | TxCtx,
  record: PlanRecord,
): Promise<{ created_at: string } | null> {
  return database.queryOne(ctx, INSERT, [
    tenantOf(ctx),
    record.id,
    record.prompt,
    record.workspaceId,
    record.conversationId,
    record.output ? JSON.stringify(record.output) : null,
    record.planner,
    JSON.stringify(record.plans),
    JSON.stringify(record.understood),
    record.rootPlanId,
  ]);
}

/** Select expression of the creation time as the API shows it. */
export const CREATED_AT = `${isoTime('created_at')} AS created_at`;

const INSERT = statement(
  'plan.insert',
  `
  INSERT INTO runs.plans (org_id, mode, id, prompt, workspace_id, conversation_id, output_contract, planner, plans, understood, root_plan_id)
  VALUES (${TENANT}, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (id) DO NOTHING
  RETURNING ${CREATED_AT}`,
).rows<{ created_at: string }>();
