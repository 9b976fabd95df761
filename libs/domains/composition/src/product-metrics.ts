import { LedgerCheck } from '@quarry/credit-ledger';
import { addGauge, createMetrics, systemCtx } from '@quarry/app';
import type { Database, Statement } from '@quarry/postgres';
import { EVENT_DAYS } from '@quarry/events';
import { GO_DAYS } from '@quarry/research';
import { SINK_DAYS } from '@quarry/outreach';
import { PLAN_DAYS } from '@quarry/runs';
import { LINE_CONTENT_DAYS } from '@quarry/service-jobs';
import { DELIVERY_DAYS, PUSH_DAYS } from '@quarry/webhooks';
import type { RetentionSettings } from './retention.env.js';
import { statement } from './statements.types.js';

type Metric = { labels: Record<string, string>; value: number };

/** A gauge of one statement, which gives its labels and values. */
interface Gauge {
  name: string;
  help: string;
  labels: readonly string[];
  sql: Statement<readonly []>;
}

const ctx = systemCtx('metrics');

/**
 * Creates the process's metrics with those of the product, which are read from the database at each scrape. Watch the
 * oldest open job (a stuck worker), the oldest overdue job content (retention has stopped), held credits, and the findings
 * of the latest ledger audit.
 */
export function productMetrics(
  app: string,
  database: Database,
  retention: RetentionSettings,
): ReturnType<typeof createMetrics> {
  const registry = createMetrics(app);
  const days = Object.values(RETAINED).map(([, kept]) => (typeof kept === 'number' ? kept : retention[kept]));
  for (const { sql, ...gauge } of GAUGES)
    addGauge(registry, { ...gauge, read: async () => (await database.query(ctx, sql, [])) as Metric[] });
  addGauge(registry, {
    name: 'quarry_retention_overdue_seconds',
    help: 'Seconds since the oldest record has been due for deletion, by kind; below an hour while retention runs.',
    labels: ['what'],
    read: () => database.query(ctx, OVERDUE, [days]),
  });
  addGauge(registry, {
    name: 'quarry_ledger_faults',
    help: 'Discrepancies found by the latest audit of the credit ledger. Alert on any value above zero.',
    labels: [],
    read: async () => {
      const last = await LedgerCheck.readLast(database);
      return last ? [{ labels: {}, value: last.faultCount }] : [];
    },
  });
  return registry;
}

/**
 * Kinds of data with retention: the time from which the oldest of each counts, which is the first entry of an index, and the days
 * until it is due.
 */
const RETAINED: Readonly<Record<string, readonly [oldest: string, days: number | keyof RetentionSettings]>> =
  {
    line_contents: [
      'min(completed_at) FROM jobs.jobs WHERE completed_at IS NOT NULL AND emptied_at IS NULL',
      LINE_CONTENT_DAYS,
    ],
    ended_lists: ['min(completed_at) FROM jobs.batches WHERE completed_at IS NOT NULL', 'endedDays'],
    run_details: [
      'min(ended_at) FROM runs.runs WHERE ended_at IS NOT NULL AND emptied_at IS NULL',
      'runDetailDays',
    ],
    archived_workspaces: [
      'min(archived_at) FROM tables.workspaces WHERE archived_at IS NOT NULL',
      'archivedDays',
    ],
    exports: ['min(expires_at) FROM tables.exports', 0],
    request_keys: ['min(kept_until) FROM requests.keys', 0],
    plans: ['min(created_at) FROM runs.plans', PLAN_DAYS],
    go_runs: ['min(ended_at) FROM go.runs WHERE ended_at IS NOT NULL', GO_DAYS],
    go_pages: ['min(kept_until) FROM go.pages', 0],
    events: ['min(at) FROM events.events', EVENT_DAYS],
    deliveries: ['min(created_at) FROM webhooks.deliveries', DELIVERY_DAYS],
    pushes: ['min(ended_at) FROM destinations.pushes WHERE ended_at IS NOT NULL', PUSH_DAYS],
    messages: ['min(ended_at) FROM outreach.messages WHERE ended_at IS NOT NULL', 'mailDays'],
    seen_mails: ['min(seen_at) FROM outreach.seen_mails', 'mailDays'],
    sink_mails: ['min(created_at) FROM outreach.sink_mails', SINK_DAYS],
  };

const OVERDUE = statement(
  'product-metrics.overdue',
  Object.entries(RETAINED)
    .map(
      ([what, [oldest]], i) => `
  SELECT json_build_object('what', '${what}') AS labels, greatest(0, coalesce(
    extract(epoch FROM clock_timestamp() - (SELECT ${oldest}) - make_interval(days => ($1::int[])[${i + 1}])), 0))::float8 AS value`,
    )
    .join(' UNION ALL '),
).rows<Metric>();

const secondsSince = (at: string): string =>
  `greatest(0, coalesce(extract(epoch FROM clock_timestamp() - ${at}), 0))::float8`;
const ageIn = (view: string): string =>
  `SELECT '{}'::json AS labels, ${secondsSince('oldest_at')} AS value FROM metrics.${view}`;

const GAUGES: readonly Gauge[] = [
  {
    name: 'quarry_open_lines',
    help: 'Unfinished jobs, by service and state.',
    labels: ['service', 'state'],
    sql: statement(
      'product-metrics.openLines',
      `SELECT json_build_object('service', service, 'state', state) AS labels, lines::float8 AS value FROM metrics.open_lines`,
    ),
  },
  {
    name: 'quarry_oldest_open_line_seconds',
    help: 'Age of the oldest unfinished job, by service.',
    labels: ['service'],
    sql: statement(
      'product-metrics.oldestOpenLine',
      `SELECT json_build_object('service', service) AS labels, extract(epoch FROM clock_timestamp() - min(oldest_at))::float8 AS value
       FROM metrics.open_lines GROUP BY service`,
    ),
  },
  {
    name: 'quarry_oldest_full_line_seconds',
    help: 'Time since the end of the oldest job whose request and result are still stored.',
    labels: [],
    sql: statement(
      'product-metrics.oldestFullLine',
      `SELECT '{}'::json AS labels, ${secondsSince('completed_at')} AS value FROM metrics.oldest_full_line`,
    ),
  },
  {
    name: 'quarry_active_runs',
    help: 'Unfinished runs, by status.',
    labels: ['status'],
    sql: statement(
      'product-metrics.activeRuns',
      `SELECT json_build_object('status', status) AS labels, runs::float8 AS value FROM metrics.active_runs`,
    ),
  },
  {
    name: 'quarry_waiting_sourcing_runs',
    help: 'Runs that search the web for rows and wait for a worker.',
    labels: [],
    sql: statement(
      'product-metrics.waitingSourcingRuns',
      `SELECT '{}'::json AS labels, runs::float8 AS value FROM metrics.waiting_sourcing_runs`,
    ),
  },
  {
    name: 'quarry_active_go_runs',
    help: 'Unfinished Go runs, by status.',
    labels: ['status'],
    sql: statement(
      'product-metrics.activeGoRuns',
      `SELECT json_build_object('status', status) AS labels, runs::float8 AS value FROM metrics.active_go_runs`,
    ),
  },
  {
    name: 'quarry_oldest_waiting_run_seconds',
    help: 'Waiting time of the oldest run or enrichment that no worker has started, by queue.',
    labels: ['queue'],
    sql: statement(
      'product-metrics.oldestWaitingRun',
      `SELECT json_build_object('queue', queue) AS labels, ${secondsSince('oldest_at')} AS value
       FROM (VALUES
         ('agent-runs', least((SELECT oldest_at FROM metrics.active_runs WHERE status = 'queued'),
           (SELECT oldest_at FROM metrics.active_enrichments WHERE status = 'queued'))),
         ('sourcing-runs', (SELECT oldest_at FROM metrics.waiting_sourcing_runs)),
         ('go-runs', (SELECT oldest_at FROM metrics.active_go_runs WHERE status = 'queued'))
       ) AS waiting (queue, oldest_at)`,
    ),
  },
  {
    name: 'quarry_due_webhooks',
    help: 'Webhooks with an event that is due, without failing webhooks.',
    labels: [],
    sql: statement(
      'product-metrics.dueWebhooks',
      `SELECT '{}'::json AS labels, webhooks::float8 AS value FROM metrics.due_webhooks`,
    ),
  },
  {
    name: 'quarry_oldest_due_delivery_seconds',
    help: 'Time that the oldest event for a working webhook has been due.',
    labels: [],
    sql: statement('product-metrics.oldestDueDelivery', ageIn('due_webhooks')),
  },
  {
    name: 'quarry_oldest_due_push_seconds',
    help: 'Time that the oldest push to a destination has been due.',
    labels: [],
    sql: statement('product-metrics.oldestDuePush', ageIn('due_pushes')),
  },
  {
    name: 'quarry_oldest_due_message_seconds',
    help: 'Time that the oldest message which its mailbox may send has been due. Sending windows, gaps and limits do not count.',
    labels: [],
    sql: statement('product-metrics.oldestDueMessage', ageIn('due_mailboxes')),
  },
  {
    name: 'quarry_oldest_unread_mailbox_seconds',
    help: 'Time that the oldest unread inbox has been due for reading.',
    labels: [],
    sql: statement('product-metrics.oldestUnreadMailbox', ageIn('unread_mailboxes')),
  },
  {
    name: 'quarry_held_credits',
    help: 'Credits held for work in progress, by mode.',
    labels: ['mode'],
    sql: statement(
      'product-metrics.heldCredits',
      `SELECT json_build_object('mode', mode) AS labels, (millicredits / 1000)::float8 AS value FROM metrics.held_credits`,
    ),
  },
  {
    name: 'quarry_ledger_check_age_seconds',
    help: 'Time since the latest audit of the credit ledger, which runs every hour.',
    labels: [],
    sql: statement(
      'product-metrics.ledgerCheckAge',
      `SELECT '{}'::json AS labels, extract(epoch FROM clock_timestamp() - max(checked_at))::float8 AS value
       FROM metrics.ledger_checks HAVING count(*) > 0`,
    ),
  },
];
