import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Schema of the tables library. Identifiers are compared byte by byte (COLLATE "C"): they are ASCII, and a linguistic
 * comparison costs several times as much in every index.
 */
const UP = [
  'CREATE SCHEMA tables',

  `CREATE TABLE tables.workspaces (
     org_id text COLLATE "C" NOT NULL,
     id text COLLATE "C" NOT NULL,
     name text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     archived_at timestamptz,
     PRIMARY KEY (org_id, id)
   )`,
  `CREATE INDEX workspaces_open ON tables.workspaces (org_id, created_at, id) WHERE archived_at IS NULL`,

  // The narrow read model that other libraries may join.
  `CREATE VIEW tables.open_workspaces AS SELECT org_id, id FROM tables.workspaces WHERE archived_at IS NULL`,

  // Live and frozen tables each own a row set: a single number keeps the two large indexes of tables.rows small.
  'CREATE SEQUENCE tables.row_set_number',

  `CREATE TABLE tables.tables (
     org_id text COLLATE "C" NOT NULL,
     id text COLLATE "C" NOT NULL,
     workspace_id text COLLATE "C" NOT NULL,
     name text NOT NULL,
     -- json, not jsonb: the members of a column keep the order in which the contract shows them.
     columns json NOT NULL,
     row_set bigint NOT NULL UNIQUE DEFAULT nextval('tables.row_set_number'),
     row_count integer NOT NULL DEFAULT 0,
     qualified integer NOT NULL DEFAULT 0 CHECK (qualified >= 0),
     disqualified integer NOT NULL DEFAULT 0 CHECK (disqualified >= 0),
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     PRIMARY KEY (org_id, id),
     FOREIGN KEY (org_id, workspace_id) REFERENCES tables.workspaces (org_id, id),
     CHECK (row_count >= qualified + disqualified)
   )`,
  'CREATE INDEX tables_of_workspace ON tables.tables (org_id, workspace_id, created_at, id)',

  `CREATE TABLE tables.frozen_tables (
     org_id text COLLATE "C" NOT NULL,
     run_id text COLLATE "C" NOT NULL,
     key text NOT NULL,
     workspace_id text COLLATE "C" NOT NULL,
     -- The live table that was copied; null when the run published the rows without one.
     table_id text COLLATE "C",
     name text NOT NULL,
     columns json NOT NULL,
     row_set bigint NOT NULL UNIQUE DEFAULT nextval('tables.row_set_number'),
     row_count integer NOT NULL,
     qualified integer NOT NULL,
     disqualified integer NOT NULL,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     PRIMARY KEY (org_id, run_id, key),
     FOREIGN KEY (org_id, workspace_id) REFERENCES tables.workspaces (org_id, id)
   )`,

  // Positions in a row set are 0, 1, 2 … without gaps. No foreign key to the heads: it would cost a trigger per row at
  // import, and rows are never addressed without their head. A null fit means "not judged", which saves imported rows
  // 70 bytes each.
  `CREATE TABLE tables.rows (
     org_id text COLLATE "C" NOT NULL,
     row_set bigint NOT NULL,
     position bigint NOT NULL,
     id text COLLATE "C" NOT NULL,
     cell_values jsonb NOT NULL,
     cells jsonb NOT NULL DEFAULT '{}',
     fit jsonb,
     PRIMARY KEY (row_set, position),
     -- Not (row_set, id): one index only may begin with row_set, or the planner takes the wrong one for a page.
     CONSTRAINT rows_id UNIQUE (id, row_set)
   )`,

  `CREATE TABLE tables.exports (
     org_id text COLLATE "C" NOT NULL,
     id text COLLATE "C" NOT NULL,
     workspace_id text COLLATE "C" NOT NULL,
     run_id text COLLATE "C" NOT NULL,
     table_key text NOT NULL,
     format text NOT NULL CHECK (format IN ('csv', 'json')),
     filename text NOT NULL,
     byte_length bigint NOT NULL,
     sha256 bytea NOT NULL,
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     expires_at timestamptz NOT NULL,
     PRIMARY KEY (org_id, id),
     FOREIGN KEY (org_id, workspace_id) REFERENCES tables.workspaces (org_id, id)
   )`,
  'CREATE INDEX exports_by_expiry ON tables.exports (expires_at)',

  // The head is written last, when length and hash are known, so the chunks cannot reference it.
  `CREATE TABLE tables.export_chunks (
     org_id text COLLATE "C" NOT NULL,
     export_id text COLLATE "C" NOT NULL,
     chunk_no integer NOT NULL,
     data bytea NOT NULL,
     PRIMARY KEY (org_id, export_id, chunk_no),
     FOREIGN KEY (org_id, export_id) REFERENCES tables.exports (org_id, id)
       ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
   )`,
  // EXTERNAL stores chunks uncompressed, so that a part of one can be read without decompressing the whole.
  'ALTER TABLE tables.export_chunks ALTER COLUMN data SET STORAGE EXTERNAL',

  // entry_key is the domain, or the LinkedIn address of an entry without one. No second index starts with the same columns
  // as the key: before its first ANALYZE the planner preferred such an index to the key, and a sync of 20,000 entries took
  // 24 s instead of a fraction of one.
  `CREATE TABLE tables.exclusions (
     org_id text COLLATE "C" NOT NULL,
     kind text COLLATE "C" NOT NULL CHECK (kind IN ('companies', 'people')),
     entry_key text COLLATE "C" NOT NULL,
     domain text COLLATE "C",
     linkedin_url text COLLATE "C",
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     PRIMARY KEY (org_id, kind, entry_key),
     CHECK (entry_key = coalesce(domain, linkedin_url))
   )`,
  `CREATE INDEX exclusions_by_linkedin_url ON tables.exclusions (linkedin_url, org_id, kind)
     WHERE linkedin_url IS NOT NULL`,

  // An entry exists as long as a source names it; the empty source is the manually edited list. No foreign key: its check
  // keeps the plan that was made while the list was short, and a large sync would scan for each row.
  `CREATE TABLE tables.exclusion_sources (
     org_id text COLLATE "C" NOT NULL,
     kind text COLLATE "C" NOT NULL,
     entry_key text COLLATE "C" NOT NULL,
     source text NOT NULL,
     PRIMARY KEY (org_id, kind, entry_key, source)
   )`,
  'CREATE INDEX exclusion_sources_by_source ON tables.exclusion_sources (source, org_id, kind)',
];

export class CreateTables1763700000003 implements MigrationInterface {
  readonly name = 'CreateTables1763700000003';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA tables CASCADE');
  }
}
