import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Views of a live table: its rows in an order, as of the creation of the view, for reading at any position. */
export class AddTableViews1763700000141 implements MigrationInterface {
  readonly name = 'AddTableViews1763700000141';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Rises with every change of the table, so that a reader knows whether what it has is what there is.
      ALTER TABLE tables.tables ADD COLUMN revision bigint NOT NULL DEFAULT 0;

      CREATE TABLE tables.views (
        org_id     text COLLATE "C" NOT NULL,
        mode       text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        id         text COLLATE "C" NOT NULL,
        table_id   text COLLATE "C" NOT NULL,
        positions  integer[] NOT NULL,
        row_count  integer NOT NULL,
        revision   bigint NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (org_id, id)
      );
      -- Unpacking 400 KB would cost more than reading them.
      ALTER TABLE tables.views ALTER COLUMN positions SET STORAGE EXTERNAL;
      CREATE INDEX views_by_expiry ON tables.views (expires_at);
      CREATE INDEX views_of_tenant ON tables.views (org_id, mode, created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tables.views; ALTER TABLE tables.tables DROP COLUMN revision');
  }
}
