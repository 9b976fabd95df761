import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'go_runs_by_status';

/** The list of Go runs with a status that is rare would read all runs of its organisation otherwise. */
export class AddGoListIndex1763700000127 implements MigrationInterface {
  readonly name = 'AddGoListIndex1763700000127';
  /** Outside of a transaction, where an index can be built without keeping writers out. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // An interrupted build leaves no index that can be used.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS go.${NAME}`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY ${NAME} ON go.runs (org_id, mode, status, created_at DESC, id DESC)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX IF EXISTS go.${NAME}`);
  }
}
