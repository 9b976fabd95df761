import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Index for the recent changes of an organisation: browsers are notified of them. */
export class AddChangedTables1763700000190 implements MigrationInterface {
  readonly name = 'AddChangedTables1763700000190';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Tables of before have none until they change. A default from the start would write every one of them anew.
      ALTER TABLE tables.tables ADD COLUMN changed_at timestamptz;
      ALTER TABLE tables.tables ALTER COLUMN changed_at SET DEFAULT clock_timestamp();
      CREATE INDEX changed_tables ON tables.tables (org_id, mode, changed_at);
      CREATE INDEX open_batches ON jobs.batches (org_id, mode) WHERE completed_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX jobs.open_batches; ALTER TABLE tables.tables DROP COLUMN changed_at');
  }
}
