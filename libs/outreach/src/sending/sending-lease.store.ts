import { randomUUID } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import type { MailboxTurn } from '@quarry/dto';
import { Database, ofTenant, systemCtx, tenantOf, WorkFigures } from '@quarry/platform';
import { limitOfDay, startedOnDay } from '../mailboxes/mailbox-day.sql.js';
import type { KnownServer } from '../mailboxes/mailbox-secrets.js';
import { mailboxCtx } from '../outreach-ctx.js';
import { statement } from '../statements.types.js';

/** Source: contract decisions, section 12. Renewed while a message is on its way. */
export const LEASE_MS = 60_000;
/** A mailbox whose turn was lost, or is still in the queue, is queued again after this long. */
const SILENT_MS = 10_000;
/** A mailbox with messages that may not leave yet, as their window is closed, is looked at again after this long. */
const REST_MS = 5_000;
const TURNS_PER_SWEEP = 1000;

/** A mailbox that this process sends from until its lease ends. Nobody else does meanwhile. */
export interface SendingMailbox extends MailboxTurn {
  token: string;
  address: string;
  name: string | null;
  smtp: KnownServer | null;
  sealedSecrets: string | null;
  dkimSelector: string | null;
}

/** How a turn ends: there is more to send at once, nothing more is due, or what is due may not leave yet. */
export type TurnEnd = 'more' | 'idle' | 'waiting';

const system = systemCtx('outreach-send');

/** Gives, renews and takes back turns of mailboxes that send. */
@Injectable()
export class SendingLeaseStore {
  constructor(
    private readonly database: Database,
    @Optional() private readonly figures?: WorkFigures,
  ) {}

  /** @returns mailboxes that something is due from and that nobody sends from; they count as queued from now on */
  async takeDue(): Promise<MailboxTurn[]> {
    const rows = await this.database.query(system, TAKE_DUE, [SILENT_MS, TURNS_PER_SWEEP], 'beat');
    this.figures?.lease('mailbox', 'reaped', rows.filter((row) => row.was_leased).length);
    return rows.map(({ org_id: orgId, mode, id }) => ({ orgId, mode, mailboxId: id }));
  }

  /** @returns null when another process sends from it, or it is not connected */
  async claim(turn: MailboxTurn): Promise<SendingMailbox | null> {
    const token = randomUUID();
    const ctx = mailboxCtx(turn, 'outreach-send');
    const row = await this.database.queryOne(ctx, CLAIM, [tenantOf(ctx), turn.mailboxId, token, LEASE_MS]);
    if (!row) return null;
    this.figures?.lease('mailbox', 'claimed');
    const { sealed_secrets: sealedSecrets, dkim_selector: dkimSelector, ...known } = row;
    return { ...turn, token, ...known, sealedSecrets, dkimSelector };
  }

  /** Renews the lease. @returns whether the mailbox may send now: it is connected, its gap has passed, and its day is not full */
  async maySend(lease: SendingMailbox): Promise<boolean> {
    const ctx = mailboxCtx(lease, 'outreach-send');
    const params = [tenantOf(ctx), lease.mailboxId, lease.token, LEASE_MS] as const;
    return (await this.database.queryOne(ctx, MAY_SEND, params, 'work'))?.may_send ?? false;
  }

  /** Renews the leases of a mailbox and of its message that is on its way. @returns whether both are still this process's */
  async renew(lease: SendingMailbox, message: { id: string; token: string }): Promise<boolean> {
    const ctx = mailboxCtx(lease, 'outreach-send');
    const params = [
      ...([tenantOf(ctx), lease.mailboxId, lease.token, LEASE_MS] as const),
      message.id,
      message.token,
    ] as const;
    return (await this.database.queryOne(ctx, RENEW, params, 'beat')) !== null;
  }

  /** Ends a turn. */
  async release(lease: SendingMailbox, end: TurnEnd): Promise<void> {
    const ctx = mailboxCtx(lease, 'outreach-send');
    const againInMs = { more: SILENT_MS, idle: 0, waiting: REST_MS }[end];
    const params = [tenantOf(ctx), lease.mailboxId, lease.token, againInMs - SILENT_MS] as const;
    await this.database.query(ctx, RELEASE, params);
  }

  /** Ends every turn and claim, for a process that knows that no other lives; what was on its way is then judged by its mark. */
  async expireAll(): Promise<void> {
    await this.database.query(system, EXPIRE_ALL);
    await this.database.query(system, LAPSE_ALL);
  }
}

const IN_MS = (ms: string): string => `now() + make_interval(secs => ${ms} / 1000.0)`;
const IS_IT = `${ofTenant('b')} AND b.id = $2`;

const TAKE_DUE = statement(
  'sending-lease.takeDue',
  `
  WITH due AS (
    SELECT b.org_id, b.mode, b.id, b.send_until IS NOT NULL AS was_leased FROM outreach.mailboxes b
    WHERE b.status = 'connected' AND b.next_send_at <= now() AND b.send_queued_at < now() - make_interval(secs => $1 / 1000.0)
      AND (b.send_until IS NULL OR b.send_until < now())
      AND (EXISTS (SELECT FROM outreach.messages m WHERE m.org_id = b.org_id AND m.mode = b.mode AND m.mailbox_id = b.id
             AND m.due_at <= now())
        OR EXISTS (SELECT FROM outreach.enrollments e WHERE e.org_id = b.org_id AND e.mode = b.mode AND e.mailbox_id = b.id
             AND e.status = 'active' AND e.next_at <= now()))
    LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE outreach.mailboxes b SET send_queued_at = now(), send_token = NULL, send_until = NULL FROM due
  WHERE b.org_id = due.org_id AND b.mode = due.mode AND b.id = due.id
  RETURNING b.org_id, b.mode, b.id, due.was_leased`,
).rows<{ mode: 'live' | 'test'; was_leased: boolean }>();

const CLAIM = statement(
  'sending-lease.claim',
  `UPDATE outreach.mailboxes b SET send_token = $3, send_until = ${IN_MS('$4')}
   WHERE ${IS_IT} AND b.status = 'connected' AND (b.send_until IS NULL OR b.send_until < now())
   RETURNING b.address, b.name, b.smtp, b.sealed_secrets, b.dkim_selector`,
).rows<{ smtp: KnownServer | null }>();

const MAY_SEND = statement(
  'sending-lease.maySend',
  `UPDATE outreach.mailboxes b SET send_until = ${IN_MS('$4')} WHERE ${IS_IT} AND b.send_token = $3
   RETURNING b.status = 'connected' AND b.next_send_at <= now() AND ${startedOnDay('b')} < ${limitOfDay('b')} AS may_send`,
)
  .prepared()
  .rows<{ may_send: boolean }>();

const RENEW = statement(
  'sending-lease.renew',
  `
  WITH turn AS (
    UPDATE outreach.mailboxes b SET send_until = ${IN_MS('$4')} WHERE ${IS_IT} AND b.send_token = $3 RETURNING b.id)
  UPDATE outreach.messages m SET lease_until = ${IN_MS('$4')} FROM turn
  WHERE ${ofTenant('m')} AND m.id = $5 AND m.token = $6 AND m.state IN ('claimed', 'sending') RETURNING m.id`,
);

const RELEASE = statement(
  'sending-lease.release',
  `UPDATE outreach.mailboxes b SET send_token = NULL, send_until = NULL, send_queued_at = ${IN_MS('$4')}
   WHERE ${IS_IT} AND b.send_token = $3`,
);

const EXPIRE_ALL = statement(
  'sending-lease.expireAll',
  `UPDATE outreach.mailboxes SET send_token = NULL, send_until = NULL, send_queued_at = '-infinity', read_token = NULL,
     read_until = NULL, read_queued_at = '-infinity'
   WHERE send_token IS NOT NULL OR read_token IS NOT NULL OR send_queued_at > '-infinity' OR read_queued_at > '-infinity'`,
);

const LAPSE_ALL = statement(
  'sending-lease.lapseAll',
  `UPDATE outreach.messages SET lease_until = '-infinity' WHERE token IS NOT NULL`,
);
