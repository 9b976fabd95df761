import { Injectable } from '@nestjs/common';
import { StepJournal } from '@quarry/durable-work';
import { readStoredPlans, type StoredPlan } from '@quarry/plan-compiler';
import type { Ctx } from '@quarry/app';
import { Database, ofTenant, tenantOf, type TxCtx } from '@quarry/postgres';
import { inSpan } from '@quarry/tracing';
import { statement } from '../statements.types.js';

/** The step that reads the prompt: the first of every run. */
export const PLAN_STEP = 'plan';

/** Returns the plans that the plan step has stored; none when there is no result, or one that this version cannot read. */
export function plansOfStep(result: unknown): StoredPlan[] {
  try {
    return result === null ? [] : readStoredPlans(result);
  } catch {
    return [];
  }
}

/** Steps of a table are known by their last word. Those of a column end with a number and contain the customer's words. */
function spanNameOf(step: string): string {
  const [, word] = /^table-\d+\.(create|rows|fit)$/.exec(step) ?? [];
  if (word !== undefined) return `step table.${word}`;
  return step === PLAN_STEP ? 'step plan' : 'step column';
}

/** Opens the journals of runs. */
@Injectable()
export class StepJournals {
  constructor(private readonly database: Database) {}

  /** @returns the journal of a run as the agent that has its lease writes it */
  openJournal(run: { ctx: Ctx; id: string; token: string }): StepJournal {
    return new StepJournal(this.database, { find: FIND, begin: BEGIN, finish: FINISH }, run, (name, work) =>
      inSpan('internal', spanNameOf(name), { 'quarry.run_id': run.id }, work),
    );
  }
}

/** Records the plan step of a run as finished, in the transaction that creates the run, so that its agent skips it. */
export async function insertPlanStep(
  database: Database,
  tx: TxCtx,
  runId: string,
  input: unknown,
  plans: unknown,
): Promise<void> {
  await database.query(tx, GIVE, [runId, PLAN_STEP, JSON.stringify(input), JSON.stringify(plans)]);
}

/** A run, or null for the next one, in its conversation. */
interface RunInConversation {
  ctx: Ctx;
  id: string | null;
  conversationId: string;
}

/** @returns the result of the plan step of the run before; null when there is none */
export async function planOfRunBefore(database: Database, run: RunInConversation): Promise<unknown> {
  const row = await database.queryOne(run.ctx, PLAN_OF_RUN_BEFORE, runBefore(run));
  return row?.result ?? null;
}

/** Rows that the previous run found, with the evidence about each. */
export interface RowsOfRunBefore {
  readonly table_id: string;
  readonly run_id: string;
  readonly keys: readonly string[];
  readonly row_count: number;
}

/** Returns the rows that a follow-up can work on: the first table of the latest run that searched; null when it found none. */
export async function rowsOfRunBefore(
  database: Database,
  run: RunInConversation,
): Promise<RowsOfRunBefore | null> {
  return database.queryOne(run.ctx, ROWS_OF_RUN_BEFORE, runBefore(run));
}

const runBefore = ({ ctx, id, conversationId }: RunInConversation) =>
  [tenantOf(ctx), conversationId, id, PLAN_STEP] as const;

/** The latest earlier run of the conversation with a finished plan, ignoring questions and prompts that request no rows. */
const RUN_BEFORE = `FROM runs.runs r JOIN runs.steps s ON s.run_id = r.id AND s.name = $4
  WHERE ${ofTenant('r')} AND r.conversation_id = $2 AND s.finished_at IS NOT NULL
    AND NOT coalesce((s.result #>> '{0,plan,isEmpty}')::boolean, (s.result #>> '{0,plan,isNoRequest}')::boolean, false)
    AND ($3::text IS NULL OR (r.created_at, r.id) < (SELECT created_at, id FROM runs.runs WHERE ${ofTenant()} AND id = $3))
  ORDER BY r.created_at DESC, r.id DESC LIMIT 1`;

const PLAN_OF_RUN_BEFORE = statement('step-journal.planOfRunBefore', `SELECT s.result ${RUN_BEFORE}`);

// Only the latest run: a follow-up never continues an older table.
const ROWS_OF_RUN_BEFORE = statement(
  'step-journal.rowsOfRunBefore',
  `
  WITH last AS (SELECT r.id ${RUN_BEFORE})
  SELECT last.id AS run_id, made.result ->> 'tableId' AS table_id,
    ARRAY(SELECT jsonb_object_keys(found.result #> '{rows,0,evidence}')) AS keys,
    jsonb_array_length(found.result -> 'rows') AS row_count
  FROM last JOIN runs.runs r ON r.id = last.id AND ${ofTenant('r')} AND r.status = 'completed'
  JOIN runs.steps made ON made.run_id = last.id AND made.name = 'table-0.create' AND made.finished_at IS NOT NULL
  JOIN runs.steps found ON found.run_id = last.id AND found.name = 'table-0.rows' AND found.finished_at IS NOT NULL
  WHERE jsonb_typeof(found.result #> '{rows,0,evidence}') = 'object'`,
).rows<{ table_id: string; run_id: string; keys: string[]; row_count: number }>();

const FIND = statement(
  'step-journal.find',
  'SELECT input, result, finished_at IS NOT NULL AS finished FROM runs.steps WHERE run_id = $1 AND name = $2',
).rows<{ finished: boolean }>();

const BEGIN = statement(
  'step-journal.begin',
  `
  INSERT INTO runs.steps (run_id, name, position, input)
  SELECT r.id, $3, (SELECT coalesce(max(s.position) + 1, 0) FROM runs.steps s WHERE s.run_id = r.id), $4::jsonb FROM runs.runs r WHERE r.id = $1 AND r.lease_token = $2 AND r.status = 'running' RETURNING 1`,
);

const GIVE = statement(
  'step-journal.give',
  `INSERT INTO runs.steps (run_id, name, position, input, result, finished_at)
   VALUES ($1, $2, 0, $3::jsonb, $4::jsonb, clock_timestamp())`,
);

const FINISH = statement(
  'step-journal.finish',
  `
  UPDATE runs.steps s SET result = $4::jsonb, finished_at = clock_timestamp() FROM runs.runs r
  WHERE s.run_id = $1 AND s.name = $3 AND s.finished_at IS NULL AND r.id = s.run_id AND r.lease_token = $2 AND r.status = 'running' RETURNING 1`,
);
