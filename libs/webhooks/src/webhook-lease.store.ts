import { randomUUID } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import type { WebhookTurn } from '@quarry/dto';
import { Database, isoTime, systemCtx, WorkFigures } from '@quarry/platform';
import { statement } from './statements.types.js';

/** A group of attempts takes 20 seconds at most. It is renewed with each. */
const LEASE_MS = 30_000;
/** A webhook whose turn was lost, or is still in the queue, is queued again after this long. */
const SILENT_MS = 10_000;
const TURNS_PER_SWEEP = 1000;
/** Without a success for this long, and for so many attempts, a webhook is disabled. */
const FAILING_DAYS_MAX = 5;
const FAILURES_MIN = 10;

/** A webhook that this process sends to until its lease ends. Nobody else does meanwhile. */
export interface LeasedWebhook extends WebhookTurn {
  token: string;
  isFailing: boolean;
}

/** What is to be sent now. */
export interface DueDelivery {
  id: string;
  eventId: string;
  /** The event as clients have it; null when it is not kept any more. */
  body: string | null;
  /** Attempts that have failed since it was last asked for. */
  tries: number;
  url: string;
  sealedSecrets: readonly string[];
}

/** How an attempt has ended. */
export interface SettledAttempt {
  id: string;
  outcome: 'delivered' | 'failed' | 'cancelled';
  /** Milliseconds until the next one; null when there is none. */
  nextInMs: number | null;
  /** By the clock of this process. */
  at: string;
  durationMs: number;
  status: number | null;
  error: string | null;
  answer: string | null;
  /** The receiver wants nothing more. */
  isGone: boolean;
}

const system = systemCtx('webhook-lease');

/** Gives, renews and takes back turns of webhooks, and settles what was sent in them. Every write names the token of the turn. */
@Injectable()
export class WebhookLeaseStore {
  constructor(
    private readonly database: Database,
    @Optional() private readonly figures?: WorkFigures,
  ) {}

  /** @returns webhooks that something is due for and that nobody sends to; they count as queued from now on */
  async takeDue(): Promise<WebhookTurn[]> {
    const rows = await this.database.query(system, TAKE_DUE, [SILENT_MS, TURNS_PER_SWEEP], 'beat');
    this.figures?.lease('webhook', 'reaped', rows.filter((row) => row.was_leased).length);
    return rows.map(({ org_id: orgId, mode, id }) => ({ orgId, mode, webhookId: id }));
  }

  /** @returns null when another process sends to it, or it is gone */
  async claim(turn: WebhookTurn): Promise<LeasedWebhook | null> {
    const token = randomUUID();
    const row = await this.database.queryOne(system, CLAIM, [...keyOf(turn), token, LEASE_MS]);
    if (!row) return null;
    this.figures?.lease('webhook', 'claimed');
    return { ...turn, token, isFailing: row.is_failing };
  }

  /** Renews the lease. @returns what is due now, the oldest first; nothing when the lease is lost */
  async dueOf(lease: LeasedWebhook, limit: number): Promise<DueDelivery[]> {
    const rows = await this.database.query(system, DUE, [...keyOf(lease), lease.token, LEASE_MS, limit]);
    return rows.map(({ event_id: eventId, secrets: sealedSecrets, ...row }) => ({
      ...row,
      eventId,
      sealedSecrets,
    }));
  }

  /**
   * Writes how attempts have ended, side by side as they were made, and disables a webhook that fails for good. When the lease is
   * lost nothing is written: whoever has it now sends again.
   */
  async settle(lease: LeasedWebhook, attempts: readonly SettledAttempt[]): Promise<void> {
    const made = attempts.filter(({ outcome }) => outcome !== 'cancelled');
    const rows = await this.database.query(system, SETTLE, [
      ...keyOf(lease),
      lease.token,
      LEASE_MS,
      JSON.stringify(attempts),
      made.some(({ outcome }) => outcome === 'delivered'),
      made.length,
      made.some(({ isGone }) => isGone),
      FAILING_DAYS_MAX,
      FAILURES_MIN,
    ]);
    this.figures?.lease('webhook', rows.length > 0 ? 'ended' : 'lost');
  }

  /** Ends a turn. @param isQueued whether the next one is in the queue already */
  async release(lease: LeasedWebhook, isQueued: boolean): Promise<void> {
    await this.database.query(system, RELEASE, [...keyOf(lease), lease.token, isQueued]);
  }

  /** Ends every turn, for a process that knows that no other lives. */
  async expireAll(): Promise<void> {
    await this.database.query(system, EXPIRE_ALL);
  }
}

function keyOf({ orgId, mode, webhookId }: WebhookTurn): [string, string, string] {
  return [orgId, mode, webhookId];
}

const IS_IT = (alias: string): string => `${alias}.org_id = $1 AND ${alias}.mode = $2 AND ${alias}.id = $3`;
const IN_MS = (ms: string): string => `now() + make_interval(secs => ${ms} / 1000.0)`;

// now(), not clock_timestamp(): only what stays the same within a statement is looked up in an index.
const TAKE_DUE = statement(
  'webhook-lease.takeDue',
  `
  WITH due AS (
    SELECT w.org_id, w.mode, w.id, w.lease_until IS NOT NULL AS was_leased FROM webhooks.endpoints w
    WHERE w.queued_at < now() - make_interval(secs => $1 / 1000.0) AND (w.lease_until IS NULL OR w.lease_until < now())
      AND EXISTS (SELECT FROM webhooks.deliveries d WHERE d.org_id = w.org_id AND d.mode = w.mode AND d.endpoint_id = w.id
        AND d.state = 'pending' AND d.next_at <= now())
    LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE webhooks.endpoints w SET queued_at = now(), lease_token = NULL, lease_until = NULL FROM due
  WHERE w.org_id = due.org_id AND w.mode = due.mode AND w.id = due.id
  RETURNING w.org_id, w.mode, w.id, due.was_leased`,
).rows<{ mode: 'live' | 'test'; was_leased: boolean }>();

const CLAIM = statement(
  'webhook-lease.claim',
  `UPDATE webhooks.endpoints w SET lease_token = $4, lease_until = ${IN_MS('$5')}
   WHERE ${IS_IT('w')} AND (w.lease_until IS NULL OR w.lease_until < now()) RETURNING w.failing_since IS NOT NULL AS is_failing`,
).rows<{ is_failing: boolean }>();

const DUE = statement(
  'webhook-lease.due',
  `
  WITH turn AS (
    UPDATE webhooks.endpoints w SET lease_until = ${IN_MS('$5')} WHERE ${IS_IT('w')} AND w.lease_token = $4
    RETURNING w.url, array_remove(ARRAY[w.sealed_secret, CASE WHEN w.previous_until > now() THEN w.previous_secret END], NULL) AS secrets)
  SELECT d.id, d.event_id, d.tries, t.url, t.secrets,
    (SELECT json_build_object('id', e.id, 'type', e.type, 'timestamp', ${isoTime('e.at')}, 'subject', e.subject, 'seq', e.seq,
       'data', e.data)::text FROM events.events e WHERE e.id = d.event_id AND e.org_id = $1 AND e.mode = $2) AS body
  FROM turn t CROSS JOIN LATERAL (
    SELECT d.id, d.event_id, d.tries FROM webhooks.deliveries d
    WHERE d.org_id = $1 AND d.mode = $2 AND d.endpoint_id = $3 AND d.state = 'pending' AND d.next_at <= now()
    ORDER BY d.next_at LIMIT $6) d`,
).rows<{ secrets: string[] }>();

/** Of a delivery after an attempt: one that was cancelled meanwhile stays so unless it has arrived. */
const STATE = `CASE WHEN m.outcome = 'delivered' THEN 'delivered' WHEN d.state = 'cancelled' OR m.outcome = 'cancelled' THEN 'cancelled'
  WHEN m."nextInMs" IS NULL THEN 'failed' ELSE 'pending' END`;

const SETTLE = statement(
  'webhook-lease.settle',
  `
  WITH made AS (
    SELECT * FROM jsonb_to_recordset($6::jsonb) AS m (id text, outcome text, "nextInMs" bigint, at timestamptz,
      "durationMs" integer, status integer, error text, answer text)),
  turn AS (
    UPDATE webhooks.endpoints w SET lease_until = ${IN_MS('$5')},
      failing_since = CASE WHEN $7::boolean THEN NULL WHEN $8::integer = 0 THEN w.failing_since ELSE coalesce(w.failing_since, now()) END,
      failures = CASE WHEN $7::boolean THEN 0 ELSE w.failures + $8::integer END,
      status = CASE WHEN w.status = 'active' AND ($9::boolean OR f.is_failing) THEN 'disabled' ELSE w.status END,
      reason = CASE WHEN w.status = 'disabled' THEN w.reason WHEN $9::boolean THEN 'gone' WHEN f.is_failing THEN 'failing' END
    FROM (SELECT NOT $7::boolean AND failures + $8::integer >= $11::integer
        AND failing_since < now() - make_interval(days => $10) AS is_failing
      FROM webhooks.endpoints w WHERE ${IS_IT('w')}) f
    WHERE ${IS_IT('w')} AND w.lease_token = $4 RETURNING 1),
  settled AS (
    UPDATE webhooks.deliveries d SET state = ${STATE}, next_at = CASE WHEN ${STATE} = 'pending' THEN ${IN_MS('m."nextInMs"')} END,
      attempts = d.attempts + CASE m.outcome WHEN 'cancelled' THEN 0 ELSE 1 END, tries = d.tries + 1
    FROM turn, made m WHERE d.org_id = $1 AND d.mode = $2 AND d.endpoint_id = $3 AND d.id = m.id
    RETURNING d.id, d.attempts),
  logged AS (
    INSERT INTO webhooks.attempts (org_id, mode, endpoint_id, delivery_id, number, at, duration_ms, status_code, error, answer)
    SELECT $1, $2, $3, m.id, s.attempts, m.at, m."durationMs", m.status, m.error, m.answer
    FROM settled s JOIN made m ON m.id = s.id WHERE m.outcome <> 'cancelled')
  SELECT 1 FROM turn`,
);

const RELEASE = statement(
  'webhook-lease.release',
  `UPDATE webhooks.endpoints w SET lease_token = NULL, lease_until = NULL,
     queued_at = CASE WHEN $5::boolean THEN now() ELSE '-infinity' END
   WHERE ${IS_IT('w')} AND w.lease_token = $4`,
);

const EXPIRE_ALL = statement(
  'webhook-lease.expireAll',
  `UPDATE webhooks.endpoints SET lease_token = NULL, lease_until = NULL, queued_at = '-infinity'
   WHERE lease_token IS NOT NULL OR queued_at > '-infinity'`,
);
