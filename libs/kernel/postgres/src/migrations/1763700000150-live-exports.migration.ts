import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exports of live tables beside those of frozen ones. */
export class AddLiveExports1763700000150 implements MigrationInterface {
  readonly name = 'AddLiveExports1763700000150';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- As for frozen tables: an export that has read the rows sees whether somebody was erased meanwhile.
      ALTER TABLE tables.tables ADD COLUMN erasures integer NOT NULL DEFAULT 0;

      ALTER TABLE tables.exports
        ALTER COLUMN run_id DROP NOT NULL,
        ALTER COLUMN table_key DROP NOT NULL,
        ADD COLUMN table_id text COLLATE "C",
        ADD CONSTRAINT exports_name_one_table CHECK (table_id IS NULL OR num_nonnulls(run_id, table_key) = 0);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM tables.exports WHERE table_id IS NOT NULL;
      ALTER TABLE tables.exports DROP COLUMN table_id, ALTER COLUMN run_id SET NOT NULL, ALTER COLUMN table_key SET NOT NULL;
      ALTER TABLE tables.tables DROP COLUMN erasures;
    `);
  }
}
