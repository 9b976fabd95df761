import { systemCtx, type RetentionRule } from '@quarry/app';
import { retentionRule, type Database, type TxCtx } from '@quarry/postgres';
import { COUNT_REVISIONS } from './batch-json.sql.js';
import { statement } from './statements.types.js';

/** Source: contract, batch rule 9. */
export const LINE_CONTENT_DAYS = 30;
/** Default number of days that a batch is kept after its end. */
export const BATCH_RETENTION_DAYS = 180;
// Small, so that few rows are locked at a time.
const LINES_PER_STATEMENT = 1000;
const BATCHES_PER_TRANSACTION = 20;

const ctx = systemCtx('retention');

/**
 * Returns the retention of batches and lines: requests and results are removed 30 days after the end of their line, the batch
 * some time after its own end. Open lines are never touched, and neither is the ledger.
 * @param endedDays days that a batch is kept after its end; more than {@link LINE_CONTENT_DAYS}
 */
export function lineRetention(database: Database, { endedDays }: { endedDays: number }): RetentionRule[] {
  return [
    retentionRule(database, 'contents of lines', EMPTY_LINES, [LINE_CONTENT_DAYS, LINES_PER_STATEMENT]),
    { what: 'ended lists', removeSome: () => deleteBatches(database, endedDays) },
  ];
}

function deleteBatches(database: Database, endedDays: number): Promise<number> {
  return database.transaction(ctx, async (tx) => {
    const due = await database.query(tx, FIND_ENDED_BATCHES, [endedDays, BATCHES_PER_TRANSACTION]);
    await deleteWithLines(
      database,
      tx,
      due.map(({ id }) => id),
    );
    return due.length;
  });
}

/** A job that also answers lines of other batches moves to the first of those, and is deleted with the last. */
async function deleteWithLines(database: Database, tx: TxCtx, batchIds: string[]): Promise<void> {
  await database.query(tx, DELETE_LINES, [batchIds]);
  await database.query(tx, HAND_OVER_JOBS, [batchIds]);
  await database.query(tx, DELETE_JOBS, [batchIds]);
  await database.query(tx, DELETE_BATCHES, [batchIds]);
}

const EMPTY_LINES = statement(
  'retention.emptyLines',
  `
  WITH emptied AS (
    UPDATE jobs.jobs SET input = NULL, result = NULL, trail = NULL, vendor_job = NULL, share_key = NULL, reuse_key = NULL, emptied_at = clock_timestamp()
    WHERE id IN (
      SELECT id FROM jobs.jobs
      WHERE completed_at < clock_timestamp() - make_interval(days => $1) AND emptied_at IS NULL
      ORDER BY completed_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    RETURNING id),
  ${COUNT_REVISIONS}
  SELECT id FROM emptied`,
);

const FIND_ENDED_BATCHES = statement(
  'retention.findEndedBatches',
  `
  SELECT b.id FROM jobs.batches b
  WHERE b.completed_at < clock_timestamp() - make_interval(days => $1)
    AND NOT EXISTS (SELECT 1 FROM jobs.jobs j WHERE j.batch_id = b.id AND j.completed_at IS NULL)
  ORDER BY b.completed_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
);

const DELETE_LINES = statement('retention.deleteLines', 'DELETE FROM jobs.lines WHERE batch_id = ANY ($1)');

const HAND_OVER_JOBS = statement(
  'retention.handOverJobs',
  `
  UPDATE jobs.jobs j SET batch_id = heir.batch_id, input_index = heir.input_index
  FROM jobs.jobs o CROSS JOIN LATERAL (
    SELECT l.batch_id, l.input_index FROM (SELECT * FROM jobs.lines WHERE job_id = o.id OFFSET 0) l
    ORDER BY l.batch_id, l.input_index LIMIT 1) heir
  WHERE o.batch_id = ANY ($1) AND j.id = o.id`,
);

const DELETE_JOBS = statement('retention.deleteJobs', 'DELETE FROM jobs.jobs WHERE batch_id = ANY ($1)');

const DELETE_BATCHES = statement('retention.deleteBatches', 'DELETE FROM jobs.batches WHERE id = ANY ($1)');
