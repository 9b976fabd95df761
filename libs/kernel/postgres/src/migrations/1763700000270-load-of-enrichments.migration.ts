import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Enrichments are work of the agents of runs, too: autoscalers and the alert of their queue count them. */
export class CountEnrichmentsAsLoad1763700000270 implements MigrationInterface {
  readonly name = 'CountEnrichmentsAsLoad1763700000270';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE VIEW metrics.active_enrichments AS
        SELECT status, count(*) AS enrichments, min(created_at) AS oldest_at FROM runs.enrichments
        WHERE status IN ('queued', 'running') GROUP BY status;
      ALTER VIEW metrics.queue_load RENAME TO queue_load_but_enrichments;
      CREATE VIEW metrics.queue_load AS
        SELECT queue, open_lines, oldest_age_s FROM metrics.queue_load_but_enrichments
        UNION ALL
        SELECT 'agent-runs', enrichments, greatest(0, extract(epoch FROM clock_timestamp() - oldest_at))::float8
        FROM metrics.active_enrichments;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP VIEW metrics.queue_load;
      ALTER VIEW metrics.queue_load_but_enrichments RENAME TO queue_load;
      DROP VIEW metrics.active_enrichments`);
  }
}
