import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the removals from an ended batch, so that a cache of its text knows whether the text is current. */
export class AddBatchRevision1763700000261 implements MigrationInterface {
  readonly name = 'AddBatchRevision1763700000261';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs.batches ADD COLUMN revision integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs.batches DROP COLUMN revision');
  }
}
