import { IndexMigration, type Indexes } from './index-migration.js';

/**
 * Indexes by which retention finds expired rows and the rows that depend on them. None contains a column that changes in
 * the middle of a job's life (docs/performance.md, Bookkeeping).
 */
export class AddRetentionIndexes1763700000041 extends IndexMigration {
  readonly name = 'AddRetentionIndexes1763700000041';
  protected readonly added: Indexes = [
    ['jobs.batches_by_end', 'jobs.batches (completed_at) WHERE completed_at IS NOT NULL'],
    // Also for the foreign key, which would otherwise scan all jobs for each deleted batch.
    ['jobs.jobs_of_batch', 'jobs.jobs (batch_id)'],
    ['runs.runs_to_empty', 'runs.runs (ended_at) WHERE ended_at IS NOT NULL AND emptied_at IS NULL'],
    ['runs.runs_by_conversation', 'runs.runs (conversation_id)'],
    ['tables.workspaces_archived', 'tables.workspaces (archived_at) WHERE archived_at IS NOT NULL'],
  ];
}
