import { Injectable, Optional } from '@nestjs/common';
import {
  defineWork,
  inMs,
  SILENT_MS,
  TurnLeases,
  turnSql,
  workCtx,
  type Turn,
  type TurnEnd,
} from '@quarry/durable-work';
import { systemCtx, WorkMetrics } from '@quarry/app';
import { Database, ofTenant, tenantOf } from '@quarry/postgres';
import { limitOfDay, startedOnDay } from '../mailboxes/mailbox-day.sql.js';
import type { KnownServer } from '../mailboxes/mailbox-secrets.js';
import { statement } from '../statements.types.js';

/**
 * The lease is renewed while a message is being sent. At a stop, messages whose body was started get 20 seconds. Source of the
 * lease: docs/outreach.md.
 */
export const OUTREACH_SEND = defineWork({
  name: 'mailbox',
  queue: 'outreach-send',
  sweepMs: 500,
  drainMs: 20_000,
  leaseMs: 60_000,
});

/** Milliseconds until a mailbox is checked again whose messages may not be sent yet, for example outside their window. */
const REST_MS = 5_000;

/** A mailbox that only this process sends from, until its lease ends. */
export type SendingMailbox = Turn & ClaimedMailbox;

type ClaimedMailbox = {
  address: string;
  name: string | null;
  smtp: KnownServer | null;
  sealedSecrets: string | null;
  dkimSelector: string | null;
};

/** Claims, renews and releases turns of mailboxes that send. */
@Injectable()
export class SendingLeaseStore extends TurnLeases<ClaimedMailbox> {
  constructor(database: Database, @Optional() metrics?: WorkMetrics) {
    super(OUTREACH_SEND, TURNS, database, metrics);
  }

  /**
   * Renews the lease.
   * @returns whether the mailbox may send now: it is connected, its gap has passed, and its daily limit is not reached
   */
  async maySend(lease: SendingMailbox): Promise<boolean> {
    const ctx = workCtx(OUTREACH_SEND, lease);
    return (await this.database.queryOne(ctx, MAY_SEND, keyOf(lease), 'work'))?.may_send ?? false;
  }

  /** Renews the leases of a mailbox and of its current message. @returns whether this process still holds both */
  async renewWithMessage(lease: SendingMailbox, message: { id: string; token: string }): Promise<boolean> {
    const params = [...keyOf(lease), message.id, message.token] as const;
    return (await this.database.queryOne(workCtx(OUTREACH_SEND, lease), RENEW, params, 'heartbeat')) !== null;
  }

  /**
   * Ends a turn.
   * @param isWaiting whether a message is due that may not be sent yet
   */
  async releaseMailbox(lease: SendingMailbox, end: TurnEnd, isWaiting: boolean): Promise<void> {
    await this.releaseLease(lease, end === 'more' ? SILENT_MS : isWaiting ? REST_MS : 0);
  }

  /**
   * Expires every turn and claim. For a process that knows that no other is running. Messages in progress are then settled by
   * their mark.
   */
  override async expireAll(): Promise<void> {
    await super.expireAll();
    await this.database.query(systemCtx('outreach-send'), LAPSE_ALL);
  }
}

function keyOf({ id, token, ...tenant }: SendingMailbox): [[string, string], string, string, number] {
  return [tenantOf(tenant), id, token, OUTREACH_SEND.leaseMs];
}

const TURN_SQL = turnSql({
  table: 'outreach.mailboxes',
  alias: 'b',
  token: 'send_token',
  until: 'send_until',
  queuedAt: 'send_queued_at',
  isOpen: "b.status = 'connected'",
  isDue: `b.next_send_at <= now()
      AND (EXISTS (SELECT FROM outreach.messages m WHERE m.org_id = b.org_id AND m.mode = b.mode AND m.mailbox_id = b.id
             AND m.due_at <= now())
        OR EXISTS (SELECT FROM outreach.enrollments e WHERE e.org_id = b.org_id AND e.mode = b.mode AND e.mailbox_id = b.id
             AND e.status = 'active' AND e.next_at <= now()))`,
});
const TURNS = {
  takeDue: statement('sending-lease.takeDue', TURN_SQL.takeDue),
  claim: statement(
    'sending-lease.claim',
    TURN_SQL.claim(
      'b.address, b.name, b.smtp, b.sealed_secrets AS "sealedSecrets", b.dkim_selector AS "dkimSelector"',
    ),
  ).rows<ClaimedMailbox>(),
  release: statement('sending-lease.release', TURN_SQL.release),
  expireAll: statement('sending-lease.expireAll', TURN_SQL.expireAll),
};

const MAY_SEND = statement(
  'sending-lease.maySend',
  TURN_SQL.renew(
    `b.status = 'connected' AND b.next_send_at <= now() AND ${startedOnDay('b')} < ${limitOfDay('b')} AS may_send`,
  ),
)
  .prepared()
  .rows<{ may_send: boolean }>();

const RENEW = statement(
  'sending-lease.renew',
  `
  WITH turn AS (${TURN_SQL.renew('b.id')})
  UPDATE outreach.messages m SET lease_until = ${inMs('$4')} FROM turn
  WHERE ${ofTenant('m')} AND m.id = $5 AND m.token = $6 AND m.state IN ('claimed', 'sending') RETURNING m.id`,
);

const LAPSE_ALL = statement(
  'sending-lease.lapseAll',
  `UPDATE outreach.messages SET lease_until = '-infinity' WHERE token IS NOT NULL`,
);
