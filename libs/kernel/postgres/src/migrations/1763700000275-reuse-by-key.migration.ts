import { IndexMigration, type Indexes } from './index-migration.js';

/**
 * Index of answers by their key alone: no other index can serve such a look-up. By organisation and service as well, several
 * could, and without statistics the planner took one that has all jobs of the organisation.
 */
export class ReuseByKey1763700000275 extends IndexMigration {
  protected override readonly dropped: Indexes = [
    [
      'jobs.jobs_reusable',
      'jobs.jobs (org_id, mode, service, reuse_key, completed_at) WHERE reuse_key IS NOT NULL AND completed_at IS NOT NULL',
    ],
  ];
  protected readonly added: Indexes = [
    [
      'jobs.jobs_of_reuse_key',
      'jobs.jobs (reuse_key, completed_at) WHERE reuse_key IS NOT NULL AND completed_at IS NOT NULL',
    ],
  ];
}
