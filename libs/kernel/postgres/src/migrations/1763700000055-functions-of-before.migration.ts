import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Drops the functions that only earlier versions called. The others are in ../functions. */
export class DropFunctionsOfBefore1763700000055 implements MigrationInterface {
  readonly name = 'DropFunctionsOfBefore1763700000055';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION IF EXISTS jobs.cancel_batch(text, text);
      DROP FUNCTION IF EXISTS credits.place_expiring_hold(jsonb, integer);
      DROP FUNCTION IF EXISTS credits.place_holds(jsonb);
    `);
  }

  /** The previous version does not call any of them either. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}
