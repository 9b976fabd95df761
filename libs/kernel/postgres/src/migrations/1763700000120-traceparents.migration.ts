import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the trace context (W3C) of the request for a run or a line, for the process that works on it later; null while
 * nothing is traced. Beside the work and not in its message: a message may be lost, and is made again from ids.
 *
 * The function that claims lines gives it, too (../functions). On the way back it is taken away, as the text of before
 * gives less and what a function returns cannot be replaced.
 */
export class AddTraceparents1763700000120 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE runs.runs ADD COLUMN traceparent text;
      ALTER TABLE go.runs ADD COLUMN traceparent text;
      ALTER TABLE jobs.jobs ADD COLUMN traceparent text;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION IF EXISTS jobs.claim_jobs(jsonb, integer, integer, integer);
      ALTER TABLE jobs.jobs DROP COLUMN traceparent;
      ALTER TABLE go.runs DROP COLUMN traceparent;
      ALTER TABLE runs.runs DROP COLUMN traceparent;
    `);
  }
}
