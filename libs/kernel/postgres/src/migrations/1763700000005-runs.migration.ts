import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Conversations, runs and the journal of their steps. */
export class CreateRuns1763700000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA runs;

      CREATE TABLE runs.conversations (
        id text PRIMARY KEY,
        org_id text NOT NULL,
        workspace_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );

      CREATE TABLE runs.runs (
        id text PRIMARY KEY,
        org_id text NOT NULL,
        mode text NOT NULL CHECK (mode IN ('live', 'test')),
        key_id text,
        workspace_id text NOT NULL,
        conversation_id text NOT NULL REFERENCES runs.conversations (id),
        prompt text NOT NULL,
        output_contract jsonb,
        status text NOT NULL CHECK (status IN ('queued', 'running', 'recovering', 'completed', 'failed', 'cancelled')),
        message text NOT NULL DEFAULT '',
        artifacts jsonb NOT NULL DEFAULT '[]',
        output jsonb,
        error jsonb,
        cancellation_requested boolean NOT NULL DEFAULT false,
        idempotency_key text,
        body_hash text NOT NULL,
        lease_token text,
        lease_until timestamptz,
        losses integer NOT NULL DEFAULT 0,
        delivered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        started_at timestamptz,
        ended_at timestamptz,
        CONSTRAINT ended_runs_have_an_end CHECK ((status IN ('queued', 'running', 'recovering')) = (ended_at IS NULL)),
        CONSTRAINT only_running_runs_are_leased CHECK (status = 'running' OR lease_token IS NULL)
      );
      CREATE UNIQUE INDEX run_by_idempotency_key ON runs.runs (org_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
      CREATE UNIQUE INDEX one_active_run_per_conversation ON runs.runs (conversation_id)
        WHERE status IN ('queued', 'running', 'recovering');
      CREATE INDEX runs_of_org ON runs.runs (org_id, created_at DESC, id DESC);
      CREATE INDEX runs_of_workspace ON runs.runs (org_id, workspace_id, created_at DESC, id DESC);
      CREATE INDEX runs_active ON runs.runs (delivered_at) WHERE status IN ('queued', 'running', 'recovering');

      -- The journal: what a step was given is written before it begins, what it gave before the next begins.
      CREATE TABLE runs.steps (
        run_id text NOT NULL REFERENCES runs.runs (id),
        name text NOT NULL,
        position integer NOT NULL,
        input jsonb NOT NULL,
        result jsonb,
        started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        finished_at timestamptz,
        PRIMARY KEY (run_id, name),
        UNIQUE (run_id, position)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA runs CASCADE');
  }
}
