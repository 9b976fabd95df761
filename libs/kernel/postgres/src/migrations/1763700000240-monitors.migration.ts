import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Monitors: plans that run on a schedule and report new findings. Why they are rows: docs/adr/0063. */
export class AddMonitors1763700000240 implements MigrationInterface {
  readonly name = 'AddMonitors1763700000240';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE runs.runs ADD COLUMN monitor_id text COLLATE "C";

      CREATE TABLE runs.monitors (
        org_id          text COLLATE "C" NOT NULL,
        mode            text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        id              text COLLATE "C" NOT NULL,
        -- Whose credits its runs spend.
        key_id          text COLLATE "C",
        name            text NOT NULL,
        workspace_id    text COLLATE "C" NOT NULL,
        -- All of its runs are in one conversation, so that no two work at a time.
        conversation_id text COLLATE "C" NOT NULL,
        prompt          text NOT NULL,
        -- What the prompt was read as when the monitor was made.
        plans           jsonb NOT NULL,
        cron            text NOT NULL,
        time_zone       text NOT NULL,
        first_run       text COLLATE "C" NOT NULL CHECK (first_run IN ('deliver', 'silent')),
        -- Thousandths of a credit.
        run_credits_max   bigint,
        month_credits_max bigint,
        -- Makes the identities of what it knows, which say nothing without it.
        identity_key    text COLLATE "C" NOT NULL,
        status          text COLLATE "C" NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused')),
        pause_reason    text COLLATE "C"
          CHECK (pause_reason IN ('requested', 'budget', 'credits', 'failures', 'key_revoked', 'workspace_archived')),
        -- Runs that have failed since the last success.
        failures        integer NOT NULL DEFAULT 0,
        next_at         timestamptz NOT NULL,
        created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, id),
        CHECK ((status = 'paused') = (pause_reason IS NOT NULL))
      );
      CREATE INDEX due_monitors ON runs.monitors (next_at) WHERE status = 'active';

      CREATE TABLE runs.monitor_runs (
        org_id      text COLLATE "C" NOT NULL,
        mode        text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        monitor_id  text COLLATE "C" NOT NULL,
        due_at      timestamptz NOT NULL,
        trigger     text COLLATE "C" NOT NULL CHECK (trigger IN ('schedule', 'manual')),
        status      text COLLATE "C" NOT NULL
          CHECK (status IN ('working', 'completed', 'failed', 'cancelled', 'overlapped', 'skipped')),
        -- Why it was skipped.
        reason      text COLLATE "C" CHECK (reason IN ('budget', 'credits', 'workspace_archived')),
        run_id      text COLLATE "C",
        -- It keeps what is there and pays for nothing.
        is_silent   boolean NOT NULL DEFAULT false,
        -- What budgets and balance cover of the plan's rows.
        rows_max    integer,
        new_rows    integer NOT NULL DEFAULT 0,
        known_rows  integer NOT NULL DEFAULT 0,
        -- Thousandths of a credit.
        charged     bigint NOT NULL DEFAULT 0,
        ended_at    timestamptz,
        PRIMARY KEY (org_id, mode, monitor_id, due_at)
      );
      CREATE INDEX ended_monitor_runs ON runs.monitor_runs (ended_at) WHERE ended_at IS NOT NULL;
      CREATE UNIQUE INDEX monitor_run_of_run ON runs.monitor_runs (run_id) WHERE run_id IS NOT NULL;

      CREATE TABLE runs.monitor_items (
        org_id      text COLLATE "C" NOT NULL,
        mode        text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        monitor_id  text COLLATE "C" NOT NULL,
        -- An HMAC of the domain, the profile or the name: no personal data.
        identity    text COLLATE "C" NOT NULL,
        run_id      text COLLATE "C" NOT NULL,
        table_id    text COLLATE "C" NOT NULL,
        row_id      text COLLATE "C" NOT NULL,
        -- False for what a silent first run has found.
        is_reported boolean NOT NULL,
        first_seen  timestamptz NOT NULL,
        last_seen   timestamptz NOT NULL,
        PRIMARY KEY (org_id, mode, monitor_id, identity)
      );
      CREATE INDEX monitor_items_by_time ON runs.monitor_items (org_id, mode, monitor_id, first_seen, identity)
        WHERE is_reported;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE runs.monitor_items, runs.monitor_runs, runs.monitors;
      DROP TRIGGER IF EXISTS grants_resume_monitors ON credits.accounts;
      DROP TRIGGER IF EXISTS runs_end_monitor_runs ON runs.runs;
      ALTER TABLE runs.runs DROP COLUMN monitor_id`);
  }
}
