import { randomUUID } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import type { DestinationKind, DestinationTurn } from '@quarry/dto';
import { Database, systemCtx, WorkFigures } from '@quarry/platform';
import { statement } from '../statements.types.js';
import type { DestinationSettings } from './destination-template.js';
import type { PushCounts } from './push.store.js';
import type { PushSource } from './push-rows.port.js';
import type { Mapping } from './row-mapping.js';

/** Renewed before each request that begins five seconds after the last renewal; a request takes 15 seconds at most. */
const LEASE_MS = 30_000;
/** A destination whose turn was lost, or is still in the queue, is queued again after this long. */
const SILENT_MS = 10_000;
const TURNS_PER_SWEEP = 1000;

/** A destination that this process sends to until its lease ends. Nobody else does meanwhile. */
export interface LeasedDestination extends DestinationTurn {
  token: string;
  kind: DestinationKind;
  settings: DestinationSettings;
  mapping: Mapping | null;
  sealedSecret: string;
}

/** The push that is to be worked on now. */
export interface OpenPush {
  id: string;
  source: PushSource;
  nextRow: number;
  counts: PushCounts;
  tries: number;
}

/** A row with what is known of it from now on. */
export interface SentRow {
  key: string;
  hash: string;
  vendorId: string | null;
  rowId: string;
}

/** How far a push has come. */
export interface PushProgress {
  nextRow: number;
  counts: PushCounts;
  rows: readonly SentRow[];
  refused: ReadonlyArray<{ rowId: string; reason: string }>;
  status: 'working' | 'completed' | 'failed';
  reason: string | null;
  tries: number;
  /** Milliseconds until it goes on. */
  nextInMs: number;
}

const system = systemCtx('destination-lease');

/** Gives, renews and takes back turns of destinations, and settles what was sent in them. Every write names the token of the turn. */
@Injectable()
export class DestinationLeaseStore {
  constructor(
    private readonly database: Database,
    @Optional() private readonly figures?: WorkFigures,
  ) {}

  /** @returns destinations whose next push is due and that nobody sends to; they count as queued from now on */
  async takeDue(): Promise<DestinationTurn[]> {
    const rows = await this.database.query(system, TAKE_DUE, [SILENT_MS, TURNS_PER_SWEEP], 'beat');
    this.figures?.lease('destination', 'reaped', rows.filter((row) => row.was_leased).length);
    return rows.map(({ org_id: orgId, mode, id }) => ({ orgId, mode, destinationId: id }));
  }

  /** @returns null when another process sends to it, or it is gone */
  async claim(turn: DestinationTurn): Promise<LeasedDestination | null> {
    const token = randomUUID();
    const row = await this.database.queryOne(system, CLAIM, [...keyOf(turn), token, LEASE_MS]);
    if (!row) return null;
    this.figures?.lease('destination', 'claimed');
    const { kind, settings, mapping, sealed_secret: sealedSecret } = row;
    return { ...turn, token, kind, settings, mapping, sealedSecret };
  }

  /** @returns whether it is still this process that sends to it */
  async renew(lease: LeasedDestination): Promise<boolean> {
    return (
      (await this.database.queryOne(system, RENEW, [...keyOf(lease), lease.token, LEASE_MS], 'beat')) !== null
    );
  }

  /** Renews the lease. @returns the oldest open push when it is due; null when there is none, or the lease is lost */
  async nextPush(lease: LeasedDestination): Promise<OpenPush | null> {
    const row = await this.database.queryOne(system, NEXT_PUSH, [...keyOf(lease), lease.token, LEASE_MS]);
    if (!row) return null;
    const { id, table_id: tableId, view_id: viewId, counts, tries } = row;
    return { id, source: { tableId, viewId }, nextRow: Number(row.next_row), counts, tries };
  }

  /** Writes how far a push has come. @returns whether it was written: when the lease is lost, whoever has it now sends again */
  async settle(lease: LeasedDestination, push: OpenPush, progress: PushProgress): Promise<boolean> {
    const written = await this.database.queryOne(system, SETTLE, [
      ...keyOf(lease),
      lease.token,
      LEASE_MS,
      push.id,
      progress.nextRow,
      JSON.stringify(progress.counts),
      JSON.stringify(progress.rows),
      JSON.stringify(progress.refused),
      progress.status,
      progress.reason,
      progress.tries,
      progress.nextInMs,
    ]);
    this.figures?.lease('destination', written ? 'ended' : 'lost');
    return written !== null;
  }

  /** Ends a turn. @param isQueued whether the next one is in the queue already */
  async release(lease: LeasedDestination, isQueued: boolean): Promise<void> {
    await this.database.query(system, RELEASE, [...keyOf(lease), lease.token, isQueued]);
  }

  /** Ends every turn, for a process that knows that no other lives. */
  async expireAll(): Promise<void> {
    await this.database.query(system, EXPIRE_ALL);
  }
}

function keyOf({ orgId, mode, destinationId }: DestinationTurn): [string, string, string] {
  return [orgId, mode, destinationId];
}

const IS_IT = 'd.org_id = $1 AND d.mode = $2 AND d.id = $3';
const IN_MS = (ms: string): string => `now() + make_interval(secs => ${ms} / 1000.0)`;
/** The oldest open push of a destination. */
const OLDEST = (columns: string, of: string): string => `SELECT ${columns} FROM destinations.pushes p
  WHERE p.org_id = ${of}.org_id AND p.mode = ${of}.mode AND p.destination_id = ${of}.id AND p.ended_at IS NULL
  ORDER BY p.created_at, p.id LIMIT 1`;

const TAKE_DUE = statement(
  'destination-lease.takeDue',
  `
  WITH due AS (
    SELECT d.org_id, d.mode, d.id, d.lease_until IS NOT NULL AS was_leased FROM destinations.destinations d
    WHERE d.queued_at < now() - make_interval(secs => $1 / 1000.0) AND (d.lease_until IS NULL OR d.lease_until < now())
      AND (${OLDEST('p.next_at', 'd')}) <= now()
    LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE destinations.destinations d SET queued_at = now(), lease_token = NULL, lease_until = NULL FROM due
  WHERE d.org_id = due.org_id AND d.mode = due.mode AND d.id = due.id
  RETURNING d.org_id, d.mode, d.id, due.was_leased`,
).rows<{ mode: 'live' | 'test'; was_leased: boolean }>();

const CLAIM = statement(
  'destination-lease.claim',
  `UPDATE destinations.destinations d SET lease_token = $4, lease_until = ${IN_MS('$5')}
   WHERE ${IS_IT} AND (d.lease_until IS NULL OR d.lease_until < now())
   RETURNING d.kind, d.settings, d.mapping, d.sealed_secret`,
).rows<{ kind: DestinationKind; settings: DestinationSettings; mapping: Mapping | null }>();

const RENEW = statement(
  'destination-lease.renew',
  `UPDATE destinations.destinations d SET lease_until = ${IN_MS('$5')} WHERE ${IS_IT} AND d.lease_token = $4 RETURNING d.id`,
);

const NEXT_PUSH = statement(
  'destination-lease.nextPush',
  `
  WITH turn AS (
    UPDATE destinations.destinations d SET lease_until = ${IN_MS('$5')} WHERE ${IS_IT} AND d.lease_token = $4
    RETURNING d.org_id, d.mode, d.id)
  SELECT o.id, o.table_id, o.view_id, o.next_row, o.counts, o.tries FROM turn t
  CROSS JOIN LATERAL (${OLDEST('p.*', 't')}) o WHERE o.next_at <= now()`,
).rows<{ counts: PushCounts }>();

const SETTLE = statement(
  'destination-lease.settle',
  `
  WITH turn AS (
    UPDATE destinations.destinations d SET lease_until = ${IN_MS('$5')} WHERE ${IS_IT} AND d.lease_token = $4 RETURNING 1),
  moved AS (
    UPDATE destinations.pushes p SET next_row = $7, counts = $8::json, status = $11, reason = $12, tries = $13,
      next_at = CASE WHEN $11 = 'working' THEN ${IN_MS('$14::bigint')} END,
      ended_at = CASE WHEN $11 <> 'working' THEN clock_timestamp() END
    FROM turn WHERE p.org_id = $1 AND p.mode = $2 AND p.destination_id = $3 AND p.id = $6 RETURNING p.id),
  sent AS (
    INSERT INTO destinations.sent_rows AS s (org_id, mode, destination_id, key, hash, vendor_id, row_id, push_id)
    SELECT $1, $2, $3, m.key, m.hash, m."vendorId", m."rowId", moved.id
    FROM moved, jsonb_to_recordset($9::jsonb) AS m (key text, hash text, "vendorId" text, "rowId" text)
    ORDER BY m.key
    ON CONFLICT (org_id, mode, destination_id, key) DO UPDATE SET hash = EXCLUDED.hash,
      vendor_id = coalesce(EXCLUDED.vendor_id, s.vendor_id), row_id = EXCLUDED.row_id, push_id = EXCLUDED.push_id,
      sent_at = CASE WHEN s.hash = EXCLUDED.hash THEN s.sent_at ELSE EXCLUDED.sent_at END),
  refused AS (
    INSERT INTO destinations.refused_rows (org_id, mode, destination_id, push_id, row_id, reason)
    SELECT $1, $2, $3, moved.id, m."rowId", m.reason
    FROM moved, jsonb_to_recordset($10::jsonb) AS m ("rowId" text, reason text)
    ON CONFLICT DO NOTHING)
  SELECT 1 FROM moved`,
);

const RELEASE = statement(
  'destination-lease.release',
  `UPDATE destinations.destinations d SET lease_token = NULL, lease_until = NULL,
     queued_at = CASE WHEN $5::boolean THEN now() ELSE '-infinity' END
   WHERE ${IS_IT} AND d.lease_token = $4`,
);

const EXPIRE_ALL = statement(
  'destination-lease.expireAll',
  `UPDATE destinations.destinations SET lease_token = NULL, lease_until = NULL, queued_at = '-infinity'
   WHERE lease_token IS NOT NULL OR queued_at > '-infinity'`,
);
