import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Go: research runs, the journal of their steps with the cost of each, and the pages that they have read. */
export class AddGo1763700000090 implements MigrationInterface {
  readonly name = 'AddGo1763700000090';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA go;

      CREATE TABLE go.runs (
        id text PRIMARY KEY,
        org_id text NOT NULL,
        mode text NOT NULL CHECK (mode IN ('live', 'test')),
        key_id text,
        -- The body as it was accepted. JSON as text, here and below: the order of its fields is that of the answer.
        request json NOT NULL,
        hold_id text NOT NULL,
        -- Thousandths of a credit: what is set aside, and what the end has charged and left.
        held bigint NOT NULL CHECK (held > 0),
        charged bigint NOT NULL DEFAULT 0 CHECK (charged BETWEEN 0 AND held),
        remaining bigint,
        status text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
        stop_reason text CHECK (stop_reason IN ('complete', 'budget', 'time', 'no_evidence', 'cancelled', 'error')),
        output json,
        basis json NOT NULL DEFAULT '[]',
        -- Where each published value stands: field, SHA-256 of the page's text, first character and the one behind the last.
        proofs json NOT NULL DEFAULT '[]',
        error json,
        cancellation_requested boolean NOT NULL DEFAULT false,
        lease_token text,
        lease_until timestamptz,
        losses integer NOT NULL DEFAULT 0,
        delivered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        started_at timestamptz,
        ended_at timestamptz,
        CONSTRAINT ended_go_runs_have_an_end CHECK ((status IN ('queued', 'running')) = (ended_at IS NULL)),
        CONSTRAINT ended_go_runs_have_a_reason CHECK ((ended_at IS NULL) = (stop_reason IS NULL)),
        CONSTRAINT only_running_go_runs_are_leased CHECK (status = 'running' OR lease_token IS NULL)
      );
      CREATE INDEX go_runs_of_org ON go.runs (org_id, mode, created_at DESC, id DESC);
      CREATE INDEX go_runs_active ON go.runs (delivered_at) WHERE ended_at IS NULL;
      CREATE INDEX go_runs_ended ON go.runs (ended_at) WHERE ended_at IS NOT NULL;

      -- What a step is given is written before it begins, what it gave and costs before the next begins.
      CREATE TABLE go.steps (
        run_id text NOT NULL REFERENCES go.runs (id) ON DELETE CASCADE,
        org_id text NOT NULL,
        position integer NOT NULL,
        input json NOT NULL,
        result json,
        cost bigint NOT NULL DEFAULT 0 CHECK (cost >= 0),
        began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        finished_at timestamptz,
        PRIMARY KEY (run_id, position),
        CHECK (finished_at IS NOT NULL OR cost = 0)
      );

      -- Texts of pages by their SHA-256, so that a quote can be checked again by anybody who may see the run.
      CREATE TABLE go.pages (
        org_id text NOT NULL,
        mode text NOT NULL,
        sha256 text NOT NULL,
        -- Compressed with gzip.
        text bytea NOT NULL,
        kept_until timestamptz NOT NULL,
        PRIMARY KEY (org_id, mode, sha256)
      );
      CREATE INDEX go_pages_by_age ON go.pages (kept_until);

      CREATE VIEW metrics.active_go_runs AS
        SELECT status, count(*) AS runs, min(created_at) AS oldest_at FROM go.runs WHERE ended_at IS NULL GROUP BY status;

      CREATE OR REPLACE VIEW metrics.queue_load AS
        SELECT 'service-' || lower(regexp_replace(replace(service, 'LinkedIn', 'Linkedin'), '([a-z0-9])([A-Z])', '\\1-\\2', 'g')) AS queue,
          sum(lines)::bigint AS open_lines,
          greatest(0, extract(epoch FROM clock_timestamp() - min(oldest_at)))::float8 AS oldest_age_s
        FROM metrics.open_lines GROUP BY service
        UNION ALL
        SELECT 'agent-runs', count(*), greatest(0, extract(epoch FROM clock_timestamp() - min(created_at)))::float8
        FROM runs.runs WHERE status IN ('queued', 'running', 'recovering') HAVING count(*) > 0
        UNION ALL
        SELECT 'go-runs', sum(runs)::bigint, greatest(0, extract(epoch FROM clock_timestamp() - min(oldest_at)))::float8
        FROM metrics.active_go_runs HAVING count(*) > 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE VIEW metrics.queue_load AS
        SELECT 'service-' || lower(regexp_replace(replace(service, 'LinkedIn', 'Linkedin'), '([a-z0-9])([A-Z])', '\\1-\\2', 'g')) AS queue,
          sum(lines)::bigint AS open_lines,
          greatest(0, extract(epoch FROM clock_timestamp() - min(oldest_at)))::float8 AS oldest_age_s
        FROM metrics.open_lines GROUP BY service
        UNION ALL
        SELECT 'agent-runs', count(*), greatest(0, extract(epoch FROM clock_timestamp() - min(created_at)))::float8
        FROM runs.runs WHERE status IN ('queued', 'running', 'recovering') HAVING count(*) > 0;
      DROP VIEW metrics.active_go_runs;
      DROP SCHEMA go CASCADE`);
  }
}
