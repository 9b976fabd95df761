import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Enrichments: columns of a live table that a service fills, on request and without a run. */
export class AddEnrichments1763700000160 implements MigrationInterface {
  readonly name = 'AddEnrichments1763700000160';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE runs.enrichments (
        org_id       text COLLATE "C" NOT NULL,
        mode         text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        id           text COLLATE "C" PRIMARY KEY,
        key_id       text COLLATE "C",
        workspace_id text COLLATE "C" NOT NULL,
        table_id     text COLLATE "C" NOT NULL,
        -- What is asked of whom: the columns as a plan has them.
        columns      jsonb NOT NULL,
        -- The rows as they were chosen: whoever goes on with the work goes on with the same ones.
        row_ids      text[] NOT NULL,
        -- Calls of equal scope and input are one call.
        call_scope   text COLLATE "C" NOT NULL,
        is_fresh     boolean NOT NULL,
        -- Cells that max_credits does not cover.
        not_covered  integer NOT NULL,
        credits_max  bigint NOT NULL,
        status       text COLLATE "C" NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'cancelled')),
        cancellation_requested boolean NOT NULL DEFAULT FALSE,
        lease_token  text COLLATE "C",
        lease_until  timestamptz,
        delivered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
        ended_at     timestamptz
      );
      CREATE INDEX open_enrichments ON runs.enrichments (delivered_at) WHERE status IN ('queued', 'running');
      CREATE INDEX ended_enrichments ON runs.enrichments (ended_at) WHERE ended_at IS NOT NULL;

      CREATE TABLE runs.enrichment_steps (
        org_id        text COLLATE "C" NOT NULL,
        enrichment_id text COLLATE "C" NOT NULL REFERENCES runs.enrichments (id) ON DELETE CASCADE,
        name          text COLLATE "C" NOT NULL,
        input         jsonb NOT NULL,
        result        jsonb,
        PRIMARY KEY (enrichment_id, name)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE runs.enrichment_steps; DROP TABLE runs.enrichments');
  }
}
