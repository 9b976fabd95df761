import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts what was taken out of an ended list, so that whoever keeps its text knows whether that is still the text. */
export class AddBatchRevision1763700000261 implements MigrationInterface {
  readonly name = 'AddBatchRevision1763700000261';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs.batches ADD COLUMN revision integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs.batches DROP COLUMN revision');
  }
}
