import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the mode of the creating key to every record. Jobs, batches, runs and balances have had a mode from the start;
 * now their containers have one too. Existing records become live, except for workspaces in which only test keys have
 * started runs, and their content.
 *
 * `tables.rows` and `tables.export_chunks` get no mode: they are only reached through a head that has one, by a number or
 * id that is unique to it, and the column would cost space in each of a hundred million rows.
 */
const MODE = `ADD COLUMN mode text COLLATE "C" NOT NULL DEFAULT 'live' CHECK (mode IN ('live', 'test'))`;

export class SeparateTwoWorlds1763700000016 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tables.workspaces ${MODE};
      ALTER TABLE tables.tables ${MODE};
      ALTER TABLE tables.frozen_tables ${MODE};
      ALTER TABLE tables.exports ${MODE};
      ALTER TABLE tables.exclusions ${MODE};
      ALTER TABLE tables.exclusion_sources ${MODE};
      ALTER TABLE runs.conversations ${MODE};

      UPDATE tables.workspaces w SET mode = 'test'
        WHERE EXISTS (SELECT 1 FROM runs.runs r WHERE r.org_id = w.org_id AND r.workspace_id = w.id)
          AND NOT EXISTS (SELECT 1 FROM runs.runs r WHERE r.org_id = w.org_id AND r.workspace_id = w.id AND r.mode = 'live');
      UPDATE tables.tables t SET mode = 'test' FROM tables.workspaces w
        WHERE w.org_id = t.org_id AND w.id = t.workspace_id AND w.mode = 'test';
      UPDATE tables.frozen_tables t SET mode = 'test' FROM tables.workspaces w
        WHERE w.org_id = t.org_id AND w.id = t.workspace_id AND w.mode = 'test';
      UPDATE tables.exports e SET mode = 'test' FROM tables.workspaces w
        WHERE w.org_id = e.org_id AND w.id = e.workspace_id AND w.mode = 'test';
      UPDATE runs.conversations c SET mode = 'test' FROM tables.workspaces w
        WHERE w.org_id = c.org_id AND w.id = c.workspace_id AND w.mode = 'test';

      -- Nothing lies in a workspace of the other mode, whatever a statement forgets.
      ALTER TABLE tables.workspaces ADD CONSTRAINT workspaces_by_mode UNIQUE (org_id, id, mode);
      ALTER TABLE tables.tables ADD CONSTRAINT tables_share_the_mode_of_their_workspace
        FOREIGN KEY (org_id, workspace_id, mode) REFERENCES tables.workspaces (org_id, id, mode);
      ALTER TABLE tables.frozen_tables ADD CONSTRAINT frozen_tables_share_the_mode_of_their_workspace
        FOREIGN KEY (org_id, workspace_id, mode) REFERENCES tables.workspaces (org_id, id, mode);
      ALTER TABLE tables.exports ADD CONSTRAINT exports_share_the_mode_of_their_workspace
        FOREIGN KEY (org_id, workspace_id, mode) REFERENCES tables.workspaces (org_id, id, mode);

      DROP INDEX tables.workspaces_open;
      CREATE INDEX workspaces_open ON tables.workspaces (org_id, mode, created_at, id) WHERE archived_at IS NULL;
      CREATE OR REPLACE VIEW tables.open_workspaces AS SELECT org_id, id, mode FROM tables.workspaces WHERE archived_at IS NULL;

      -- Each mode has exclusion lists of its own.
      ALTER TABLE tables.exclusions DROP CONSTRAINT exclusions_pkey, ADD PRIMARY KEY (org_id, mode, kind, entry_key);
      DROP INDEX tables.exclusions_by_linkedin_url;
      CREATE INDEX exclusions_by_linkedin_url ON tables.exclusions (linkedin_url, org_id, mode, kind)
        WHERE linkedin_url IS NOT NULL;
      ALTER TABLE tables.exclusion_sources
        DROP CONSTRAINT exclusion_sources_pkey, ADD PRIMARY KEY (org_id, mode, kind, entry_key, source);
      DROP INDEX tables.exclusion_sources_by_source;
      CREATE INDEX exclusion_sources_by_source ON tables.exclusion_sources (source, org_id, mode, kind);

      -- A few test runs are found at once beside a million live ones.
      DROP INDEX runs.runs_of_org;
      CREATE INDEX runs_of_org ON runs.runs (org_id, mode, created_at DESC, id DESC);
      DROP INDEX IF EXISTS jobs.jobs_of_org;
      CREATE INDEX jobs_of_org ON jobs.jobs (org_id, mode, created_at DESC, id DESC);
      DROP INDEX runs.run_by_idempotency_key;
      CREATE UNIQUE INDEX run_by_idempotency_key ON runs.runs (org_id, mode, idempotency_key) WHERE idempotency_key IS NOT NULL;
      DROP INDEX jobs.batch_by_idempotency_key;
      CREATE UNIQUE INDEX batch_by_idempotency_key ON jobs.batches (org_id, mode, idempotency_key) WHERE idempotency_key IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX jobs.batch_by_idempotency_key;
      CREATE UNIQUE INDEX batch_by_idempotency_key ON jobs.batches (org_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
      DROP INDEX runs.run_by_idempotency_key;
      CREATE UNIQUE INDEX run_by_idempotency_key ON runs.runs (org_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
      DROP INDEX jobs.jobs_of_org;
      CREATE INDEX jobs_of_org ON jobs.jobs (org_id, created_at DESC, id DESC);
      DROP INDEX runs.runs_of_org;
      CREATE INDEX runs_of_org ON runs.runs (org_id, created_at DESC, id DESC);
      ALTER TABLE runs.conversations DROP COLUMN mode;

      DELETE FROM tables.exclusions WHERE mode = 'test';
      DELETE FROM tables.exclusion_sources WHERE mode = 'test';
      ALTER TABLE tables.exclusion_sources DROP COLUMN mode, ADD PRIMARY KEY (org_id, kind, entry_key, source);
      CREATE INDEX exclusion_sources_by_source ON tables.exclusion_sources (source, org_id, kind);
      ALTER TABLE tables.exclusions DROP COLUMN mode, ADD PRIMARY KEY (org_id, kind, entry_key);
      CREATE INDEX exclusions_by_linkedin_url ON tables.exclusions (linkedin_url, org_id, kind)
        WHERE linkedin_url IS NOT NULL;

      DROP VIEW tables.open_workspaces;
      ALTER TABLE tables.exports DROP COLUMN mode;
      ALTER TABLE tables.frozen_tables DROP COLUMN mode;
      ALTER TABLE tables.tables DROP COLUMN mode;
      ALTER TABLE tables.workspaces DROP COLUMN mode;
      CREATE INDEX workspaces_open ON tables.workspaces (org_id, created_at, id) WHERE archived_at IS NULL;
      CREATE VIEW tables.open_workspaces AS SELECT org_id, id FROM tables.workspaces WHERE archived_at IS NULL;
    `);
  }
}
