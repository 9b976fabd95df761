import { Injectable, Optional } from '@nestjs/common';
import { defineWork, inMs, TurnLeases, turnSql, workCtx, type Turn } from '@quarry/durable-work';
import { WorkMetrics } from '@quarry/app';
import { Database, isoTime } from '@quarry/postgres';
import { statement } from './statements.types.js';

/**
 * Work definition of deliveries. A group of attempts takes 20 seconds at most; the lease is renewed with each. At a
 * shutdown, requests in flight get 5 seconds.
 */
export const WEBHOOK_DELIVERY = defineWork({
  name: 'webhook',
  queue: 'webhook-delivery',
  sweepMs: 500,
  drainMs: 5_000,
  leaseMs: 30_000,
});

/** Time without success, and number of failed attempts, after which a webhook is disabled. */
const FAILING_DAYS_MAX = 5;
const FAILURES_MIN = 10;

/** A webhook that is leased to this process: no other process sends to it. */
export type LeasedWebhook = Turn & { isFailing: boolean };

/** Delivery that is due now. */
export interface DueDelivery {
  id: string;
  eventId: string;
  /** Public JSON of the event; null if it is no longer stored. */
  body: string | null;
  /** Number of failed attempts since it was last requested. */
  tries: number;
  url: string;
  sealedSecrets: readonly string[];
}

/** Result of an attempt. */
export interface SettledAttempt {
  id: string;
  outcome: 'delivered' | 'failed' | 'cancelled';
  /** Milliseconds until the next attempt; null if there is none. */
  nextInMs: number | null;
  /** By the clock of this process. */
  at: string;
  durationMs: number;
  status: number | null;
  error: string | null;
  answer: string | null;
  /** True if the receiver accepts no more events (410). */
  isGone: boolean;
}

/** Grants, renews and releases leases of webhooks, and records what was sent. */
@Injectable()
export class WebhookLeaseStore extends TurnLeases<{ isFailing: boolean }> {
  constructor(database: Database, @Optional() metrics?: WorkMetrics) {
    super(WEBHOOK_DELIVERY, TURNS, database, metrics);
  }

  /** Renews the lease. @returns due deliveries, oldest first; an empty list if the lease is lost */
  async dueOf(lease: LeasedWebhook, limit: number): Promise<DueDelivery[]> {
    return this.database.query(workCtx(WEBHOOK_DELIVERY, lease), DUE, [...keyOf(lease), limit]);
  }

  /**
   * Records the results of concurrent attempts, and disables a webhook that fails permanently. If the lease is lost, nothing
   * is written: its new holder sends the events again.
   */
  async settleDelivery(lease: LeasedWebhook, attempts: readonly SettledAttempt[]): Promise<void> {
    const made = attempts.filter(({ outcome }) => outcome !== 'cancelled');
    await this.database.query(workCtx(WEBHOOK_DELIVERY, lease), SETTLE, [
      ...keyOf(lease),
      JSON.stringify(attempts),
      made.some(({ outcome }) => outcome === 'delivered'),
      made.length,
      made.some(({ isGone }) => isGone),
      FAILING_DAYS_MAX,
      FAILURES_MIN,
    ]);
  }
}

function keyOf({ orgId, mode, id, token }: LeasedWebhook): [string, string, string, string, number] {
  return [orgId, mode, id, token, WEBHOOK_DELIVERY.leaseMs];
}

const IS_IT = (alias: string): string => `${alias}.org_id = $1 AND ${alias}.mode = $2 AND ${alias}.id = $3`;

const TURN_SQL = turnSql({
  table: 'webhooks.endpoints',
  alias: 'w',
  token: 'lease_token',
  until: 'lease_until',
  queuedAt: 'queued_at',
  isDue: `EXISTS (SELECT FROM webhooks.deliveries d WHERE d.org_id = w.org_id AND d.mode = w.mode AND d.endpoint_id = w.id
        AND d.state = 'pending' AND d.next_at <= now())`,
});
const TURNS = {
  takeDue: statement('webhook-lease.takeDue', TURN_SQL.takeDue),
  claim: statement('webhook-lease.claim', TURN_SQL.claim('w.failing_since IS NOT NULL AS "isFailing"')).rows<{
    isFailing: boolean;
  }>(),
  release: statement('webhook-lease.release', TURN_SQL.release),
  expireAll: statement('webhook-lease.expireAll', TURN_SQL.expireAll),
};

const DUE = statement(
  'webhook-lease.due',
  `
  WITH turn AS (
    UPDATE webhooks.endpoints w SET lease_until = ${inMs('$5')} WHERE ${IS_IT('w')} AND w.lease_token = $4
    RETURNING w.url, array_remove(ARRAY[w.sealed_secret, CASE WHEN w.previous_until > now() THEN w.previous_secret END], NULL) AS secrets)
  SELECT d.id, d.event_id AS "eventId", d.tries, t.url, t.secrets AS "sealedSecrets",
    (SELECT json_build_object('id', e.id, 'type', e.type, 'timestamp', ${isoTime('e.at')}, 'subject', e.subject, 'seq', e.seq,
       'data', e.data)::text FROM events.events e WHERE e.id = d.event_id AND e.org_id = $1 AND e.mode = $2) AS body
  FROM turn t CROSS JOIN LATERAL (
    SELECT d.id, d.event_id, d.tries FROM webhooks.deliveries d
    WHERE d.org_id = $1 AND d.mode = $2 AND d.endpoint_id = $3 AND d.state = 'pending' AND d.next_at <= now()
    ORDER BY d.next_at LIMIT $6) d`,
).rows<{ sealedSecrets: string[] }>();

/** State of a delivery after an attempt: if it was cancelled meanwhile, it stays cancelled unless it was delivered. */
const STATE = `CASE WHEN m.outcome = 'delivered' THEN 'delivered' WHEN d.state = 'cancelled' OR m.outcome = 'cancelled' THEN 'cancelled'
  WHEN m."nextInMs" IS NULL THEN 'failed' ELSE 'pending' END`;

const SETTLE = statement(
  'webhook-lease.settle',
  `
  WITH made AS (
    SELECT * FROM jsonb_to_recordset($6::jsonb) AS m (id text, outcome text, "nextInMs" bigint, at timestamptz,
      "durationMs" integer, status integer, error text, answer text)),
  turn AS (
    UPDATE webhooks.endpoints w SET lease_until = ${inMs('$5')},
      failing_since = CASE WHEN $7::boolean THEN NULL WHEN $8::integer = 0 THEN w.failing_since ELSE coalesce(w.failing_since, now()) END,
      failures = CASE WHEN $7::boolean THEN 0 ELSE w.failures + $8::integer END,
      status = CASE WHEN w.status = 'active' AND ($9::boolean OR f.is_failing) THEN 'disabled' ELSE w.status END,
      reason = CASE WHEN w.status = 'disabled' THEN w.reason WHEN $9::boolean THEN 'gone' WHEN f.is_failing THEN 'failing' END
    FROM (SELECT NOT $7::boolean AND failures + $8::integer >= $11::integer
        AND failing_since < now() - make_interval(days => $10) AS is_failing
      FROM webhooks.endpoints w WHERE ${IS_IT('w')}) f
    WHERE ${IS_IT('w')} AND w.lease_token = $4 RETURNING 1),
  settled AS (
    UPDATE webhooks.deliveries d SET state = ${STATE}, next_at = CASE WHEN ${STATE} = 'pending' THEN ${inMs('m."nextInMs"')} END,
      attempts = d.attempts + CASE m.outcome WHEN 'cancelled' THEN 0 ELSE 1 END, tries = d.tries + 1
    FROM turn, made m WHERE d.org_id = $1 AND d.mode = $2 AND d.endpoint_id = $3 AND d.id = m.id
      AND d.id = ANY (ARRAY(SELECT id FROM made))
    RETURNING d.id, d.attempts),
  logged AS (
    INSERT INTO webhooks.attempts (org_id, mode, endpoint_id, delivery_id, number, at, duration_ms, status_code, error, answer)
    SELECT $1, $2, $3, m.id, s.attempts, m.at, m."durationMs", m.status, m.error, m.answer
    FROM settled s JOIN made m ON m.id = s.id WHERE m.outcome <> 'cancelled')
  SELECT 1 FROM turn`,
);
