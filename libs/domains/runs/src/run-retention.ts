import { systemCtx, type RetentionRule } from '@quarry/app';
import { retentionRule, type Database } from '@quarry/postgres';
import { isWorkspaceGone } from './open-workspace.sql.js';
import { statement } from './statements.types.js';

/** Default number of days that the prompt and steps of a run are kept after its end. */
export const RUN_DETAIL_DAYS = 90;
/** Days that a plan is kept. A plan that is not run by then must be made again. */
export const PLAN_DAYS = 30;
const PLANS_PER_TRANSACTION = 200;
// Small, so that no transaction locks many rows: a run has some dozens of steps.
const RUNS_PER_TRANSACTION = 20;

const ctx = systemCtx('retention');

/**
 * Returns the retention of runs: deletes old plans, clears prompt, output contract and steps some time after the end of the run,
 * and deletes everything with the workspace. Runs that have not ended are never touched.
 * @param detailDays days that prompt and steps are kept after the end of their run
 */
export function runRetention(database: Database, { detailDays }: { detailDays: number }): RetentionRule[] {
  return [
    { what: 'prompts and steps of runs', removeSome: () => emptyRuns(database, detailDays) },
    retentionRule(database, 'plans', DELETE_PLANS, [PLAN_DAYS, PLANS_PER_TRANSACTION]),
    { what: 'runs of deleted workspaces', removeSome: () => deleteRuns(database) },
    retentionRule(database, 'conversations of deleted workspaces', DELETE_CONVERSATIONS, [
      RUNS_PER_TRANSACTION,
    ]),
  ];
}

/** Keeps status, message, artifacts and output, because lists and links lead to them. */
function emptyRuns(database: Database, detailDays: number): Promise<number> {
  return database.transaction(ctx, async (tx) => {
    // An empty contract still marks the run as one with an output.
    const emptied = await database.query(tx, EMPTY_RUNS, [detailDays, RUNS_PER_TRANSACTION]);
    await database.query(tx, DELETE_STEPS, [emptied.map(({ id }) => id)]);
    return emptied.length;
  });
}

function deleteRuns(database: Database): Promise<number> {
  return database.transaction(ctx, async (tx) => {
    const due = await database.query(tx, FIND_DUE_RUNS, [RUNS_PER_TRANSACTION]);
    const ids = due.map(({ id }) => id);
    await database.query(tx, DELETE_STEPS, [ids]);
    await database.query(tx, DELETE_RUNS, [ids]);
    return due.length;
  });
}

const EMPTY_RUNS = statement(
  'run-retention.emptyRuns',
  `
  UPDATE runs.runs SET prompt = '', idempotency_key = NULL, emptied_at = clock_timestamp(),
    output_contract = CASE WHEN output_contract IS NOT NULL THEN '{}'::jsonb END
  WHERE id IN (
    SELECT id FROM runs.runs
    WHERE ended_at < clock_timestamp() - make_interval(days => $1) AND emptied_at IS NULL
    ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING id`,
);

const DELETE_STEPS = statement('run-retention.deleteSteps', 'DELETE FROM runs.steps WHERE run_id = ANY ($1)');

const FIND_DUE_RUNS = statement(
  'run-retention.findDueRuns',
  `
  SELECT r.id FROM runs.runs r WHERE r.ended_at IS NOT NULL AND ${isWorkspaceGone('r')}
  LIMIT $1 FOR UPDATE OF r SKIP LOCKED`,
);

const DELETE_RUNS = statement('run-retention.deleteRuns', 'DELETE FROM runs.runs WHERE id = ANY ($1)');

const DELETE_PLANS = statement(
  'run-retention.deletePlans',
  `
  DELETE FROM runs.plans WHERE id IN (
    SELECT id FROM runs.plans WHERE created_at < clock_timestamp() - make_interval(days => $1)
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`,
);

const DELETE_CONVERSATIONS = statement(
  'run-retention.deleteConversations',
  `
  DELETE FROM runs.conversations WHERE id IN (
    SELECT c.id FROM runs.conversations c
    WHERE ${isWorkspaceGone('c')} AND NOT EXISTS (SELECT 1 FROM runs.runs r WHERE r.conversation_id = c.id)
    LIMIT $1 FOR UPDATE OF c SKIP LOCKED)
  RETURNING 1`,
);
