import { Injectable, Optional } from '@nestjs/common';
import type { DestinationKind } from '@quarry/dto';
import { defineWork, inMs, TurnLeases, turnSql, workCtx, type Turn } from '@quarry/durable-work';
import { WorkMetrics } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import type { DestinationSettings } from './destination-template.js';
import type { PushCounts } from './push.store.js';
import type { PushSource } from './push-rows.port.js';
import type { Mapping } from './row-mapping.js';

/**
 * Work definition of pushes. The lease is renewed before each request that starts five seconds after the last renewal; a
 * request takes 15 seconds at most. At a shutdown, requests in flight get 5 seconds.
 */
export const DESTINATION_PUSH = defineWork({
  name: 'destination',
  queue: 'destination-push',
  sweepMs: 500,
  drainMs: 5_000,
  leaseMs: 30_000,
});

/** A destination that is leased to this process: no other process sends to it. */
export type LeasedDestination = Turn & ClaimedDestination;

/** The next push to process. */
export interface OpenPush {
  id: string;
  source: PushSource;
  nextRow: number;
  counts: PushCounts;
  tries: number;
}

/** A row with its new record of what was sent. */
export interface SentRow {
  key: string;
  hash: string;
  vendorId: string | null;
  rowId: string;
}

export interface PushProgress {
  nextRow: number;
  counts: PushCounts;
  rows: readonly SentRow[];
  refused: ReadonlyArray<{ rowId: string; reason: string }>;
  status: 'working' | 'completed' | 'failed';
  reason: string | null;
  tries: number;
  /** Milliseconds until it continues. */
  nextInMs: number;
}

type ClaimedDestination = {
  kind: DestinationKind;
  settings: DestinationSettings;
  mapping: Mapping | null;
  sealedSecret: string;
};

/** Grants, renews and releases leases of destinations, and records what was sent. */
@Injectable()
export class DestinationLeaseStore extends TurnLeases<ClaimedDestination> {
  constructor(database: Database, @Optional() metrics?: WorkMetrics) {
    super(DESTINATION_PUSH, TURNS, database, metrics);
  }

  /** Renews the lease. @returns the oldest open push if it is due; null if there is none, or the lease is lost */
  async nextPush(lease: LeasedDestination): Promise<OpenPush | null> {
    const row = await this.database.queryOne(workCtx(DESTINATION_PUSH, lease), NEXT_PUSH, keyOf(lease));
    if (!row) return null;
    const { id, table_id: tableId, view_id: viewId, counts, tries } = row;
    return { id, source: { tableId, viewId }, nextRow: Number(row.next_row), counts, tries };
  }

  /** Records the progress of a push. @returns false if the lease is lost: then its new holder sends the rows again */
  async settlePush(lease: LeasedDestination, push: OpenPush, progress: PushProgress): Promise<boolean> {
    const written = await this.database.queryOne(workCtx(DESTINATION_PUSH, lease), SETTLE, [
      ...keyOf(lease),
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
    return written !== null;
  }
}

function keyOf({ orgId, mode, id, token }: LeasedDestination): [string, string, string, string, number] {
  return [orgId, mode, id, token, DESTINATION_PUSH.leaseMs];
}

const IS_IT = 'd.org_id = $1 AND d.mode = $2 AND d.id = $3';
/** Selects the oldest open push of a destination. */
const OLDEST = (columns: string, of: string): string => `SELECT ${columns} FROM destinations.pushes p
  WHERE p.org_id = ${of}.org_id AND p.mode = ${of}.mode AND p.destination_id = ${of}.id AND p.ended_at IS NULL
  ORDER BY p.created_at, p.id LIMIT 1`;

const TURN_SQL = turnSql({
  table: 'destinations.destinations',
  alias: 'd',
  token: 'lease_token',
  until: 'lease_until',
  queuedAt: 'queued_at',
  isDue: `(${OLDEST('p.next_at', 'd')}) <= now()`,
});
const TURNS = {
  takeDue: statement('destination-lease.takeDue', TURN_SQL.takeDue),
  claim: statement(
    'destination-lease.claim',
    TURN_SQL.claim('d.kind, d.settings, d.mapping, d.sealed_secret AS "sealedSecret"'),
  ).rows<ClaimedDestination>(),
  renew: statement('destination-lease.renew', TURN_SQL.renew('d.id')),
  release: statement('destination-lease.release', TURN_SQL.release),
  expireAll: statement('destination-lease.expireAll', TURN_SQL.expireAll),
};

const NEXT_PUSH = statement(
  'destination-lease.nextPush',
  `
  WITH turn AS (
    UPDATE destinations.destinations d SET lease_until = ${inMs('$5')} WHERE ${IS_IT} AND d.lease_token = $4
    RETURNING d.org_id, d.mode, d.id)
  SELECT o.id, o.table_id, o.view_id, o.next_row, o.counts, o.tries FROM turn t
  CROSS JOIN LATERAL (${OLDEST('p.*', 't')}) o WHERE o.next_at <= now()`,
).rows<{ counts: PushCounts }>();

const SETTLE = statement(
  'destination-lease.settle',
  `
  WITH turn AS (
    UPDATE destinations.destinations d SET lease_until = ${inMs('$5')} WHERE ${IS_IT} AND d.lease_token = $4 RETURNING 1),
  moved AS (
    UPDATE destinations.pushes p SET next_row = $7, counts = $8::json, status = $11, reason = $12, tries = $13,
      next_at = CASE WHEN $11 = 'working' THEN ${inMs('$14::bigint')} END,
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
