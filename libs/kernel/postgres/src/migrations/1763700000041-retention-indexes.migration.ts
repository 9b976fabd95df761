import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes by which retention finds what is due, and what hangs on it. None names what the writes in the middle of a
 * line's life change (docs/performance.md, Bookkeeping).
 */
const INDEXES: ReadonlyArray<readonly [name: string, on: string]> = [
  ['jobs.batches_by_end', 'jobs.batches (completed_at) WHERE completed_at IS NOT NULL'],
  // Also for the foreign key, which would read all jobs for each batch that is deleted.
  ['jobs.jobs_of_batch', 'jobs.jobs (batch_id)'],
  ['runs.runs_to_empty', 'runs.runs (ended_at) WHERE ended_at IS NOT NULL AND emptied_at IS NULL'],
  ['runs.runs_by_conversation', 'runs.runs (conversation_id)'],
  ['tables.workspaces_archived', 'tables.workspaces (archived_at) WHERE archived_at IS NOT NULL'],
];

export class AddRetentionIndexes1763700000041 implements MigrationInterface {
  readonly name = 'AddRetentionIndexes1763700000041';
  /** Outside of a transaction, where an index can be built without keeping writers out. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, on] of INDEXES) {
      // An interrupted build leaves no index that can be used.
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${name.split('.')[1]!} ON ${on}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [name] of INDEXES) await runner.query(`DROP INDEX IF EXISTS ${name}`);
  }
}
