import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds views with metrics over all organisations: their readers need no rights on the tables. They contain no
 * organisation, and count with the rights of their owner.
 */
export class AddMetricsViews1763700000030 implements MigrationInterface {
  readonly name = 'AddMetricsViews1763700000030';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA metrics;

      CREATE VIEW metrics.open_lines AS
        SELECT service, state, count(*) AS lines, min(created_at) AS oldest_at
        FROM jobs.jobs WHERE completed_at IS NULL GROUP BY service, state;
      CREATE VIEW metrics.oldest_full_line AS
        SELECT min(completed_at) AS completed_at FROM jobs.jobs WHERE completed_at IS NOT NULL AND emptied_at IS NULL;
      CREATE VIEW metrics.active_runs AS
        SELECT status, count(*) AS runs FROM runs.runs WHERE status IN ('queued', 'running', 'recovering') GROUP BY status;
      CREATE VIEW metrics.held_credits AS
        SELECT mode, sum(reserved) AS millicredits FROM credits.accounts GROUP BY mode;
      CREATE VIEW metrics.ledger_checks AS
        SELECT checked_at, took_ms, fault_count FROM credits.ledger_checks;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA metrics CASCADE');
  }
}
