import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts the erasures of people from a frozen table. An export compares the count before and after it reads the rows, so
 * that no export is stored that contains a person who was erased meanwhile.
 */
export class CountErasuresOfFrozenTables1763700000054 implements MigrationInterface {
  readonly name = 'CountErasuresOfFrozenTables1763700000054';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tables.frozen_tables ADD COLUMN erasures integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tables.frozen_tables DROP COLUMN erasures');
  }
}
