import { randomUUID } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import type { MailboxTurn } from '@quarry/dto';
import { Database, ofTenant, systemCtx, tenantOf, WorkFigures } from '@quarry/platform';
import type { ReadState } from '../mail/mailbox-reader.port.js';
import type { KnownServer } from '../mailboxes/mailbox-secrets.js';
import { mailboxCtx } from '../outreach-ctx.js';
import { statement } from '../statements.types.js';

/** Source: contract decisions, section 12. Renewed while an inbox is read. */
export const READ_LEASE_MS = 60_000;
/** Source: contract decisions, section 12. */
export const READ_EVERY_MS = 60_000;
/** A mailbox whose turn was lost, or is still in the queue, is queued again after this long. */
const SILENT_MS = 10_000;
const TURNS_PER_SWEEP = 1000;

/** A mailbox whose inbox this process reads until its lease ends. Nobody else does meanwhile. */
export interface ReadMailbox extends MailboxTurn {
  token: string;
  address: string;
  imap: KnownServer | null;
  sealedSecrets: string | null;
  dkimSelector: string | null;
  state: ReadState;
  /** What its domain says was looked up long ago. */
  isDomainOld: boolean;
}

const system = systemCtx('outreach-receive');

/** Gives, renews and takes back turns of mailboxes whose inboxes are read. Every write names the token of the turn. */
@Injectable()
export class ReadingLeaseStore {
  constructor(
    private readonly database: Database,
    @Optional() private readonly figures?: WorkFigures,
  ) {}

  /** @returns mailboxes whose inboxes are to be read and that nobody reads; they count as queued from now on */
  async takeDue(): Promise<MailboxTurn[]> {
    const rows = await this.database.query(system, TAKE_DUE, [SILENT_MS, TURNS_PER_SWEEP], 'beat');
    this.figures?.lease('inbox', 'reaped', rows.filter((row) => row.was_leased).length);
    return rows.map(({ org_id: orgId, mode, id }) => ({ orgId, mode, mailboxId: id }));
  }

  /** @returns null when another process reads it, or it is gone */
  async claim(turn: MailboxTurn): Promise<ReadMailbox | null> {
    const token = randomUUID();
    const ctx = mailboxCtx(turn, 'outreach-receive');
    const params = [tenantOf(ctx), turn.mailboxId, token, READ_LEASE_MS] as const;
    const row = await this.database.queryOne(ctx, CLAIM, params);
    if (!row) return null;
    this.figures?.lease('inbox', 'claimed');
    const {
      address,
      imap,
      sealed_secrets: sealedSecrets,
      dkim_selector: dkimSelector,
      read_state: state,
    } = row;
    return {
      ...turn,
      token,
      address,
      imap,
      sealedSecrets,
      dkimSelector,
      state,
      isDomainOld: row.is_domain_old,
    };
  }

  /** @returns whether it is still this process that reads it */
  async renew(lease: ReadMailbox): Promise<boolean> {
    const ctx = mailboxCtx(lease, 'outreach-receive');
    const params = [tenantOf(ctx), lease.mailboxId, lease.token, READ_LEASE_MS] as const;
    return (await this.database.queryOne(ctx, RENEW, params, 'beat')) !== null;
  }

  /** Ends a turn, with how far the inbox was read. @param nextInMs when it is read again */
  async release(lease: ReadMailbox, state: ReadState, nextInMs: number): Promise<void> {
    const ctx = mailboxCtx(lease, 'outreach-receive');
    const params = [tenantOf(ctx), lease.mailboxId, lease.token, nextInMs, JSON.stringify(state)] as const;
    const row = await this.database.queryOne(ctx, RELEASE, params);
    this.figures?.lease('inbox', row ? 'ended' : 'lost');
  }

  /** Says why an inbox lets nobody in. The mailbox sends no more: answers to what it sends would not be seen. */
  async fail(lease: ReadMailbox, reason: string): Promise<void> {
    const ctx = mailboxCtx(lease, 'outreach-receive');
    await this.database.query(ctx, FAIL, [tenantOf(ctx), lease.mailboxId, lease.token, reason]);
  }

  /** Keeps what the domain of a mailbox says now. */
  async keepDomain(lease: ReadMailbox, domain: object): Promise<void> {
    const ctx = mailboxCtx(lease, 'outreach-receive');
    await this.database.query(ctx, KEEP_DOMAIN, [tenantOf(ctx), lease.mailboxId, JSON.stringify(domain)]);
  }
}

const IN_MS = (ms: string): string => `now() + make_interval(secs => ${ms} / 1000.0)`;
const IS_IT = `${ofTenant('b')} AND b.id = $2`;

// Also those that are paused or fail: whoever answers must not be written to by others, and nobody waits for it in vain.
const TAKE_DUE = statement(
  'reading-lease.takeDue',
  `
  WITH due AS (
    SELECT b.org_id, b.mode, b.id, b.read_until IS NOT NULL AS was_leased FROM outreach.mailboxes b
    WHERE b.status <> 'removed' AND b.read_at <= now() AND b.read_queued_at < now() - make_interval(secs => $1 / 1000.0)
      AND (b.read_until IS NULL OR b.read_until < now())
    ORDER BY b.read_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE outreach.mailboxes b SET read_queued_at = now(), read_token = NULL, read_until = NULL FROM due
  WHERE b.org_id = due.org_id AND b.mode = due.mode AND b.id = due.id
  RETURNING b.org_id, b.mode, b.id, due.was_leased`,
).rows<{ mode: 'live' | 'test'; was_leased: boolean }>();

const CLAIM = statement(
  'reading-lease.claim',
  `UPDATE outreach.mailboxes b SET read_token = $3, read_until = ${IN_MS('$4')}, read_at = ${IN_MS('$4')}
   WHERE ${IS_IT} AND b.status <> 'removed' AND (b.read_until IS NULL OR b.read_until < now())
   RETURNING b.address, b.imap, b.sealed_secrets, b.dkim_selector, b.read_state,
     b.domain_checked_at < now() - interval '1 day' AS is_domain_old`,
).rows<{ imap: KnownServer | null; read_state: ReadState; is_domain_old: boolean }>();

const RENEW = statement(
  'reading-lease.renew',
  `UPDATE outreach.mailboxes b SET read_until = ${IN_MS('$4')} WHERE ${IS_IT} AND b.read_token = $3 RETURNING b.id`,
);

// Not later than it is set: what came in the middle of a turn, as the sink's answers do, is read at once.
const RELEASE = statement(
  'reading-lease.release',
  `UPDATE outreach.mailboxes b SET read_token = NULL, read_until = NULL, read_queued_at = '-infinity', read_state = $5::json,
     read_at = CASE WHEN b.read_at <= now() THEN b.read_at ELSE ${IN_MS('$4')} END
   WHERE ${IS_IT} AND b.read_token = $3 RETURNING b.id`,
);

const FAIL = statement(
  'reading-lease.fail',
  `UPDATE outreach.mailboxes b SET status = 'failing', status_reason = $4
   WHERE ${IS_IT} AND b.read_token = $3 AND b.status = 'connected'`,
);

const KEEP_DOMAIN = statement(
  'reading-lease.keepDomain',
  `UPDATE outreach.mailboxes b SET domain = $3::json, domain_checked_at = now() WHERE ${IS_IT} AND b.status <> 'removed'`,
);
