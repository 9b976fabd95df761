import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Batches, their lines, and the jobs that produce the results of the lines.
 *
 * A job: queued → (claimed: still queued, with a lease) → running → completed | failed; queued → failed | cancelled.
 */
export class CreateJobs1763700000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA jobs;

      CREATE TABLE jobs.batches (
        id text PRIMARY KEY,
        org_id text NOT NULL,
        mode text NOT NULL CHECK (mode IN ('live', 'test')),
        service text NOT NULL,
        size integer NOT NULL CHECK (size > 0),
        open_lines integer NOT NULL CHECK (open_lines >= 0),
        run_id text,
        idempotency_key text,
        body_hash text,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        completed_at timestamptz,
        CONSTRAINT completed_when_nothing_is_open CHECK ((open_lines = 0) = (completed_at IS NOT NULL))
      );
      CREATE UNIQUE INDEX batch_by_idempotency_key ON jobs.batches (org_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

      CREATE TABLE jobs.jobs (
        id text PRIMARY KEY,
        org_id text NOT NULL,
        mode text NOT NULL CHECK (mode IN ('live', 'test')),
        service text NOT NULL,
        batch_id text NOT NULL REFERENCES jobs.batches (id) DEFERRABLE INITIALLY DEFERRED,
        input_index integer NOT NULL,
        run_id text,
        input jsonb,
        share_key text,
        reuse_key text,
        state text NOT NULL CHECK (state IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
        price bigint NOT NULL CHECK (price >= 0),
        hold_id text UNIQUE,
        attempt integer NOT NULL DEFAULT 0,
        claims integer NOT NULL DEFAULT 0,
        lease_token text,
        lease_until timestamptz,
        delivered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        provider text,
        result jsonb,
        error jsonb,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        started_at timestamptz,
        completed_at timestamptz,
        emptied_at timestamptz,
        CONSTRAINT started_when_attempted CHECK ((attempt > 0) = (started_at IS NOT NULL)),
        CONSTRAINT ended_jobs_have_an_end CHECK ((state IN ('queued', 'running')) = (completed_at IS NULL)),
        CONSTRAINT ended_jobs_have_no_lease CHECK (state IN ('queued', 'running') OR lease_token IS NULL)
      );
      CREATE UNIQUE INDEX one_running_search_per_input ON jobs.jobs (org_id, mode, service, share_key)
        WHERE share_key IS NOT NULL AND state IN ('queued', 'running');
      CREATE INDEX jobs_reusable ON jobs.jobs (org_id, mode, service, reuse_key, completed_at) WHERE state = 'completed' AND reuse_key IS NOT NULL;
      CREATE INDEX jobs_open ON jobs.jobs (service, delivered_at) WHERE state IN ('queued', 'running');
      CREATE INDEX jobs_of_org ON jobs.jobs (org_id, created_at DESC, id DESC);
      CREATE INDEX jobs_to_empty ON jobs.jobs (completed_at) WHERE completed_at IS NOT NULL AND emptied_at IS NULL;

      CREATE TABLE jobs.lines (
        batch_id text NOT NULL REFERENCES jobs.batches (id),
        input_index integer NOT NULL,
        org_id text NOT NULL,
        job_id text NOT NULL REFERENCES jobs.jobs (id),
        reused boolean NOT NULL,
        cancelled_at timestamptz,
        PRIMARY KEY (batch_id, input_index)
      );
      CREATE INDEX lines_of_job ON jobs.lines (job_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA jobs CASCADE');
  }
}
