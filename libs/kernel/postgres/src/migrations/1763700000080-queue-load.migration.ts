import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds a count of waiting and running work per queue, for autoscaling. Its columns are a contract with the manifests in
 * `k8s/`. It counts the jobs and runs themselves, so it is right for queues in Redis and in PostgreSQL, and while there
 * are no consumers. Running work counts, because otherwise the last worker would be removed in the middle of it. An empty
 * queue has no row.
 *
 * The name of a service's queue is derived from the service: getLinkedInUserComments → service-get-linkedin-user-comments.
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
