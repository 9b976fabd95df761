import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns that monitors watch, with hashes of their values, and the first position of a row that has changed since. */
export class AddWatchedColumns1763700000263 implements MigrationInterface {
  readonly name = 'AddWatchedColumns1763700000263';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE runs.monitors ADD COLUMN watch text[];
      ALTER TABLE runs.monitor_runs ADD COLUMN updated_rows integer NOT NULL DEFAULT 0;
      ALTER TABLE runs.monitor_items
        -- An HMAC of the watched values: no personal data.
        ADD COLUMN watched text COLLATE "C",
        -- The last change; run, table and row are those that have seen it.
        ADD COLUMN updated_at timestamptz,
        ADD COLUMN first_table_id text COLLATE "C",
        ADD COLUMN first_row_id text COLLATE "C";
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE runs.monitor_items
        DROP COLUMN watched, DROP COLUMN updated_at, DROP COLUMN first_table_id, DROP COLUMN first_row_id;
      ALTER TABLE runs.monitor_runs DROP COLUMN updated_rows;
      ALTER TABLE runs.monitors DROP COLUMN watch;
    `);
  }
}
