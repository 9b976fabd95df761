import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a count of work that waits or is under way in each queue, for the decision how many processes there are. Its
 * columns are a contract with the manifests in `k8s/`. It is counted from the lines and runs themselves, so it is right
 * for queues in Redis and in PostgreSQL, and while nobody consumes them. Work under way counts: else the last worker
 * would be taken away in the middle of it. A queue with nothing to do has no row.
 *
 * The name of a service's queue is that of the service: getLinkedInUserComments → service-get-linkedin-user-comments.
 */
export class AddQueueLoad1763700000080 implements MigrationInterface {
  readonly name = 'AddQueueLoad1763700000080';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE VIEW metrics.queue_load AS
        SELECT 'service-' || lower(regexp_replace(replace(service, 'LinkedIn', 'Linkedin'), '([a-z0-9])([A-Z])', '\\1-\\2', 'g')) AS queue,
          sum(lines)::bigint AS open_lines,
          greatest(0, extract(epoch FROM clock_timestamp() - min(oldest_at)))::float8 AS oldest_age_s
        FROM metrics.open_lines GROUP BY service
        UNION ALL
        SELECT 'agent-runs', count(*), greatest(0, extract(epoch FROM clock_timestamp() - min(created_at)))::float8
        FROM runs.runs WHERE status IN ('queued', 'running', 'recovering') HAVING count(*) > 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP VIEW metrics.queue_load');
  }
}
