import { LedgerCheck } from '@quarry/credit-ledger';
import { addGauge, createMetrics, systemCtx, type Database } from '@quarry/platform';
import { LINE_CONTENT_DAYS } from '@quarry/service-jobs';
import type { RetentionSettings } from './retention.env.js';

type Figure = { labels: Record<string, string>; value: number };

const ctx = systemCtx('metrics');

/**
 * The process's metrics with the product's own figures, read from the database at each scrape. What to watch: the
 * oldest open line (a stuck worker), the oldest line that should have been emptied (retention has stopped), credits
 * that are held, and what the last check of the ledger found.
 */
export function productMetrics(
  app: string,
  database: Database,
  retention: RetentionSettings,
): ReturnType<typeof createMetrics> {
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
      rows(`SELECT json_build_object('service', service, 'state', state) AS labels, lines::float8 AS value
            FROM metrics.open_lines`),
  });
  addGauge(registry, {
    name: 'quarry_oldest_open_line_seconds',
    help: 'Age of the oldest line that has not ended, by service.',
    labels: ['service'],
    read: () =>
      rows(`SELECT json_build_object('service', service) AS labels, extract(epoch FROM clock_timestamp() - min(oldest_at))::float8 AS value
            FROM metrics.open_lines GROUP BY service`),
  });
  addGauge(registry, {
    name: 'quarry_oldest_full_line_seconds',
    help: 'Time since the end of the oldest line whose request and result are still kept.',
    labels: [],
    read: () =>
      rows(`SELECT '{}'::json AS labels, coalesce(extract(epoch FROM clock_timestamp() - completed_at), 0)::float8 AS value
            FROM metrics.oldest_full_line`),
  });
  addGauge(registry, {
    name: 'quarry_retention_overdue_seconds',
    help: 'How long the oldest thing has been due to be removed, by kind; below an hour where retention is at work.',
    labels: ['what'],
    read: () => rows(overdue(retention)),
  });
  addGauge(registry, {
    name: 'quarry_active_runs',
    help: 'Runs that have not ended, by status.',
    labels: ['status'],
    read: () =>
      rows(`SELECT json_build_object('status', status) AS labels, runs::float8 AS value
            FROM metrics.active_runs`),
  });
  addGauge(registry, {
    name: 'quarry_held_credits',
    help: 'Credits that are set aside for lines in hand, by kind of balance.',
    labels: ['mode'],
    read: () =>
      rows(
        `SELECT json_build_object('mode', mode) AS labels, (millicredits / 1000)::float8 AS value FROM metrics.held_credits`,
      ),
  });
  addGauge(registry, {
    name: 'quarry_ledger_faults',
    help: 'Disagreements that the last check of the credit ledger found. Anything above zero is an alarm.',
    labels: [],
    read: async () => {
      const last = await LedgerCheck.last(database);
      return last ? [{ labels: {}, value: last.faultCount }] : [];
    },
  });
  addGauge(registry, {
    name: 'quarry_ledger_check_age_seconds',
    help: 'Time since the last check of the credit ledger; one is made every hour.',
    labels: [],
    read: () =>
      rows(`SELECT '{}'::json AS labels, extract(epoch FROM clock_timestamp() - max(checked_at))::float8 AS value
            FROM metrics.ledger_checks HAVING count(*) > 0`),
  });
  return registry;
}

/** The oldest of each kind is the first entry of an index. */
function overdue({ runDetailDays, archivedDays, endedDays }: RetentionSettings): string {
  const kinds: ReadonlyArray<readonly [what: string, oldest: string, days: number]> = [
    [
      'line_contents',
      'min(completed_at) FROM jobs.jobs WHERE completed_at IS NOT NULL AND emptied_at IS NULL',
      LINE_CONTENT_DAYS,
    ],
    ['ended_lists', 'min(completed_at) FROM jobs.batches WHERE completed_at IS NOT NULL', endedDays],
    [
      'run_details',
      'min(ended_at) FROM runs.runs WHERE ended_at IS NOT NULL AND emptied_at IS NULL',
      runDetailDays,
    ],
    [
      'archived_workspaces',
      'min(archived_at) FROM tables.workspaces WHERE archived_at IS NOT NULL',
      archivedDays,
    ],
    ['exports', 'min(expires_at) FROM tables.exports', 0],
    ['request_keys', 'min(kept_until) FROM requests.keys', 0],
  ];
  return kinds
    .map(
      ([what, oldest, days]) => `
        SELECT json_build_object('what', '${what}') AS labels, greatest(0, coalesce(
          extract(epoch FROM clock_timestamp() - (SELECT ${oldest}) - interval '${days} days'), 0))::float8 AS value`,
    )
    .join(' UNION ALL ');
}
