import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the trace context (W3C) of the request for a run or a job, for the process that works on it later; null if tracing
 * is off. It is stored with the work and not in the message, because a lost message is created again from ids.
 *
 * The function that claims jobs returns it, too (../functions). The down migration drops the function, because the
 * previous text returns fewer columns and PostgreSQL cannot replace the return type of a function.
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
