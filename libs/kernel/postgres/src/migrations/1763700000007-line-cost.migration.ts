import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes writes of jobs cheap. A job is written four times; PostgreSQL updates indexes only for the first and the last
 * write, as long as no index column and no index predicate names a changed column, and the page has free space.
 * `completed_at IS NULL` is equivalent to an open status, and changes at the end only.
 *
 * The foreign keys of transfers cost a sixth of PostgreSQL's time per job. Only the functions of the ledger write there,
 * right after they have locked the account and read the hold that a row references.
 */
export class MakeLinesCheap1763700000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE credits.transfers
        DROP CONSTRAINT transfers_account_id_fkey, DROP CONSTRAINT transfers_hold_id_fkey;

      -- A hold names its job, and each claim makes an id of its own for it.
      ALTER TABLE jobs.jobs DROP CONSTRAINT jobs_hold_id_key;
      ALTER TABLE jobs.jobs SET (fillfactor = 50);
      DROP INDEX jobs.one_running_search_per_input;
      CREATE UNIQUE INDEX one_running_search_per_input ON jobs.jobs (org_id, mode, service, share_key)
        WHERE share_key IS NOT NULL AND completed_at IS NULL;
      DROP INDEX jobs.jobs_reusable;
      CREATE INDEX jobs_reusable ON jobs.jobs (org_id, mode, service, reuse_key, completed_at)
        WHERE reuse_key IS NOT NULL AND completed_at IS NOT NULL;
      DROP INDEX jobs.jobs_open;
      CREATE INDEX jobs_open ON jobs.jobs (service, delivered_at) WHERE completed_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX jobs.jobs_open;
      CREATE INDEX jobs_open ON jobs.jobs (service, delivered_at) WHERE state IN ('queued', 'running');
      DROP INDEX jobs.jobs_reusable;
      CREATE INDEX jobs_reusable ON jobs.jobs (org_id, mode, service, reuse_key, completed_at)
        WHERE state = 'completed' AND reuse_key IS NOT NULL;
      DROP INDEX jobs.one_running_search_per_input;
      CREATE UNIQUE INDEX one_running_search_per_input ON jobs.jobs (org_id, mode, service, share_key)
        WHERE share_key IS NOT NULL AND state IN ('queued', 'running');
      ALTER TABLE jobs.jobs RESET (fillfactor);
      ALTER TABLE jobs.jobs ADD CONSTRAINT jobs_hold_id_key UNIQUE (hold_id);
      ALTER TABLE credits.transfers
        ADD CONSTRAINT transfers_account_id_fkey FOREIGN KEY (account_id) REFERENCES credits.accounts (id),
        ADD CONSTRAINT transfers_hold_id_fkey FOREIGN KEY (hold_id) REFERENCES credits.transfers (id);
    `);
  }
}
