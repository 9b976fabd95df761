import { IndexMigration, type Indexes } from './index-migration.js';

/** Indexes that cover the rows that the offset of a list skips, so that these rows are not read. */
export class AddDeepPages1763700000220 extends IndexMigration {
  readonly name = 'AddDeepPages1763700000220';
  protected readonly added: Indexes = [
    // Includes the workspace, which decides whether a run is listed.
    ['runs.runs_newest_first', 'runs.runs (org_id, mode, created_at DESC, id DESC) INCLUDE (workspace_id)'],
    ['runs.runs_in_workspace', 'runs.runs (org_id, mode, workspace_id, created_at DESC, id DESC)'],
    [
      'jobs.jobs_completed_of_service',
      'jobs.jobs (org_id, mode, service, created_at DESC, id DESC) WHERE completed_at IS NOT NULL AND error IS NULL AND provider IS NOT NULL',
    ],
    [
      'jobs.jobs_failed_of_service',
      'jobs.jobs (org_id, mode, service, created_at DESC, id DESC) WHERE completed_at IS NOT NULL AND error IS NOT NULL',
    ],
  ];
  /** Replaced by those of runs, which the previous version uses as well. */
  protected override readonly dropped: Indexes = [
    ['runs.runs_of_org', 'runs.runs (org_id, mode, created_at DESC, id DESC)'],
    ['runs.runs_of_workspace', 'runs.runs (org_id, workspace_id, created_at DESC, id DESC)'],
  ];
}
