import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes by their schema-qualified names, and the definition of each. */
export type Indexes = ReadonlyArray<readonly [name: string, on: string]>;

/** A migration of indexes only: it runs outside a transaction, where indexes can be built without blocking writers. */
export abstract class IndexMigration implements MigrationInterface {
  readonly transaction = false;
  protected abstract readonly added: Indexes;
  protected readonly dropped: Indexes = [];

  up(runner: QueryRunner): Promise<void> {
    return replaceIndexes(runner, this.dropped, this.added);
  }

  down(runner: QueryRunner): Promise<void> {
    return replaceIndexes(runner, this.added, this.dropped);
  }
}

async function replaceIndexes(runner: QueryRunner, before: Indexes, after: Indexes): Promise<void> {
  for (const [name, on] of after) {
    // An interrupted build leaves an invalid index.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${name.split('.')[1]!} ON ${on}`);
  }
  for (const [name] of before) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}
