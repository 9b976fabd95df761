import type { MigrationInterface, QueryRunner } from 'typeorm';

const QUEUE_LOAD = (runs: string): string => `
  CREATE OR REPLACE VIEW metrics.queue_load AS
    SELECT 'service-' || lower(regexp_replace(replace(service, 'LinkedIn', 'Linkedin'), '([a-z0-9])([A-Z])', '\\1-\\2', 'g')) AS queue,
      sum(lines)::bigint AS open_lines,
      greatest(0, extract(epoch FROM clock_timestamp() - min(oldest_at)))::float8 AS oldest_age_s
    FROM metrics.open_lines GROUP BY service
    UNION ALL
    ${runs}
    UNION ALL
    SELECT 'go-runs', sum(runs)::bigint, greatest(0, extract(epoch FROM clock_timestamp() - min(oldest_at)))::float8
    FROM metrics.active_go_runs HAVING count(*) > 0;`;

/**
 * Gives runs that search rows on the web a queue of their own. A run that was handed over and waits there stays
 * `running`, without a lease.
 */
export class AddSourcingQueue1763700000115 implements MigrationInterface {
  readonly name = 'AddSourcingQueue1763700000115';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE runs.runs ADD COLUMN queue text NOT NULL DEFAULT 'agent-runs'
        CHECK (queue IN ('agent-runs', 'sourcing-runs'));

      CREATE VIEW metrics.waiting_sourcing_runs AS
        SELECT count(*) AS runs, min(delivered_at) AS oldest_at FROM runs.runs
        WHERE queue = 'sourcing-runs' AND status IN ('queued', 'running', 'recovering') AND lease_token IS NULL;
      ${QUEUE_LOAD(`SELECT queue, count(*), greatest(0, extract(epoch FROM clock_timestamp() - min(created_at)))::float8
        FROM runs.runs WHERE status IN ('queued', 'running', 'recovering') GROUP BY queue`)}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${QUEUE_LOAD(`SELECT 'agent-runs', count(*), greatest(0, extract(epoch FROM clock_timestamp() - min(created_at)))::float8
        FROM runs.runs WHERE status IN ('queued', 'running', 'recovering') HAVING count(*) > 0`)}
      DROP VIEW metrics.waiting_sourcing_runs;
      ALTER TABLE runs.runs DROP COLUMN queue;
    `);
  }
}
