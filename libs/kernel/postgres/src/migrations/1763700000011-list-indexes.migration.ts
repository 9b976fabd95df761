import { IndexMigration, type Indexes } from './index-migration.js';

/**
 * Indexes of filtered lists, in the order of the lists, so that the cost of a page does not depend on the amount of data.
 * None contains a column that changes in the middle of a job's life (docs/performance.md, Bookkeeping): the status of an
 * ended job is derived from columns that are written at its end, and each job is in exactly one of the indexes.
 */
export class AddListIndexes1763700000011 extends IndexMigration {
  protected readonly added: Indexes = [
    ['jobs.jobs_of_service', 'jobs.jobs (org_id, mode, service, created_at DESC, id DESC)'],
    [
      'jobs.jobs_open_of_org',
      'jobs.jobs (org_id, mode, created_at DESC, id DESC) WHERE completed_at IS NULL',
    ],
    [
      'jobs.jobs_failed',
      'jobs.jobs (org_id, mode, created_at DESC, id DESC) WHERE completed_at IS NOT NULL AND error IS NOT NULL',
    ],
    [
      'jobs.jobs_completed',
      'jobs.jobs (org_id, mode, created_at DESC, id DESC) WHERE completed_at IS NOT NULL AND error IS NULL AND provider IS NOT NULL',
    ],
    [
      'jobs.jobs_cancelled',
      'jobs.jobs (org_id, mode, created_at DESC, id DESC) WHERE completed_at IS NOT NULL AND error IS NULL AND provider IS NULL',
    ],
    ['runs.runs_of_conversation', 'runs.runs (org_id, mode, conversation_id, created_at DESC, id DESC)'],
    [
      'credits.transfers_of_service',
      "credits.transfers (account_id, service, at, id) WHERE kind IN ('grant', 'adjustment', 'post')",
    ],
    [
      'credits.transfers_of_batch',
      "credits.transfers (account_id, batch_id, at, id) WHERE kind IN ('grant', 'adjustment', 'post')",
    ],
    [
      'credits.transfers_of_run',
      "credits.transfers (account_id, run_id, at, id) WHERE kind IN ('grant', 'adjustment', 'post') AND run_id IS NOT NULL",
    ],
  ];
}
