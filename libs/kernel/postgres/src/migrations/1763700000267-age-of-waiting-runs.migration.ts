import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Age of the oldest run by status, so that an alert can distinguish one long wait from many short ones. */
export class AgeOfWaitingRuns1763700000267 implements MigrationInterface {
  readonly name = 'AgeOfWaitingRuns1763700000267';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE VIEW metrics.active_runs AS
        SELECT status, count(*) AS runs, min(created_at) AS oldest_at FROM runs.runs
        WHERE status IN ('queued', 'running', 'recovering') GROUP BY status
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP VIEW metrics.active_runs;
      CREATE VIEW metrics.active_runs AS
        SELECT status, count(*) AS runs FROM runs.runs WHERE status IN ('queued', 'running', 'recovering') GROUP BY status
    `);
  }
}
