import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'tables_newest_first';

/** The list of all tables of an organisation would sort all of them otherwise. */
export class AddTablesNewestFirst1763700000230 implements MigrationInterface {
  readonly name = 'AddTablesNewestFirst1763700000230';
  /** Outside of a transaction, where an index can be built without keeping writers out. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An interrupted build leaves no index that can be used.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS tables.${NAME}`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY ${NAME} ON tables.tables (org_id, mode, created_at DESC, id DESC)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX IF EXISTS tables.${NAME}`);
  }
}
