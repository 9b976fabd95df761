import { addGauge, createMetrics, systemCtx, type Database } from '@quarry/platform';

type Figure = { labels: Record<string, string>; value: number };

const ctx = systemCtx('metrics');

/**
 * The process's metrics with the product's own figures, read from the database at each scrape. What to watch: the
 * oldest open line (a stuck worker), the oldest line that should have been emptied (retention has stopped), and
 * credits that are held.
 */
export function productMetrics(app: string, database: Database): ReturnType<typeof createMetrics> {
  const registry = createMetrics(app);
  const rows = async (sql: string): Promise<Figure[]> =>
    (await database.query<{ labels: Record<string, string>; value: number }>(ctx, sql)).map(
      ({ labels, value }) => ({ labels, value }),
    );
  addGauge(registry, {
    name: 'quarry_open_lines',
    help: 'Lines that have not ended, by service and state.',
    labels: ['service', 'state'],
    read: () =>
      rows(`SELECT json_build_object('service', service, 'state', state) AS labels, count(*)::float8 AS value
            FROM jobs.jobs WHERE completed_at IS NULL GROUP BY service, state`),
  });
  addGauge(registry, {
    name: 'quarry_oldest_open_line_seconds',
    help: 'Age of the oldest line that has not ended, by service.',
    labels: ['service'],
    read: () =>
      rows(`SELECT json_build_object('service', service) AS labels, extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS value
            FROM jobs.jobs WHERE completed_at IS NULL GROUP BY service`),
  });
  addGauge(registry, {
    name: 'quarry_oldest_full_line_seconds',
    help: 'Time since the end of the oldest line whose request and result are still kept.',
    labels: [],
    read: () =>
      rows(`SELECT '{}'::json AS labels, coalesce(extract(epoch FROM clock_timestamp() - min(completed_at)), 0)::float8 AS value
            FROM jobs.jobs WHERE completed_at IS NOT NULL AND emptied_at IS NULL`),
  });
  addGauge(registry, {
    name: 'quarry_active_runs',
    help: 'Runs that have not ended, by status.',
    labels: ['status'],
    read: () =>
      rows(`SELECT json_build_object('status', status) AS labels, count(*)::float8 AS value
            FROM runs.runs WHERE status IN ('queued', 'running', 'recovering') GROUP BY status`),
  });
  addGauge(registry, {
    name: 'quarry_held_credits',
    help: 'Credits that are set aside for lines in hand, by kind of balance.',
    labels: ['mode'],
    read: () =>
      rows(
        `SELECT json_build_object('mode', mode) AS labels, (sum(reserved) / 1000)::float8 AS value FROM credits.accounts GROUP BY mode`,
      ),
  });
  return registry;
}
