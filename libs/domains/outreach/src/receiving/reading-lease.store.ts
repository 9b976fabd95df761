import { Injectable, Optional } from '@nestjs/common';
import { defineWork, inMs, TurnLeases, turnSql, workCtx, type Turn } from '@quarry/durable-work';
import { WorkMetrics } from '@quarry/app';
import type { ReadState } from '@quarry/mail';
import { Database, ofTenant, tenantOf } from '@quarry/postgres';
import type { KnownServer } from '../mailboxes/mailbox-secrets.js';
import { statement } from '../statements.types.js';

/** At a stop the current mail is finished, and no other is started. Source of the lease: docs/outreach.md. */
export const OUTREACH_RECEIVE = defineWork({
  name: 'inbox',
  queue: 'outreach-receive',
  sweepMs: 500,
  drainMs: 20_000,
  leaseMs: 60_000,
});

/** Source: docs/outreach.md. */
export const READ_EVERY_MS = 60_000;

/** A mailbox whose inbox only this process reads, until its lease ends. */
export type ReadMailbox = Turn & ClaimedInbox;

type ClaimedInbox = {
  address: string;
  imap: KnownServer | null;
  sealedSecrets: string | null;
  dkimSelector: string | null;
  state: ReadState;
  /** True when its domain should be looked up again. */
  isDomainOld: boolean;
};

/** Claims, renews and releases turns of mailboxes whose inboxes are read. */
@Injectable()
export class ReadingLeaseStore extends TurnLeases<ClaimedInbox> {
  constructor(database: Database, @Optional() metrics?: WorkMetrics) {
    super(OUTREACH_RECEIVE, TURNS, database, metrics);
  }

  /**
   * Ends a turn, and stores the reading position.
   * @param nextInMs milliseconds until it is read again
   */
  async releaseMailbox(lease: ReadMailbox, state: ReadState, nextInMs: number): Promise<void> {
    const params = [tenantOf(lease), lease.id, lease.token, nextInMs, JSON.stringify(state)] as const;
    const row = await this.database.queryOne(workCtx(OUTREACH_RECEIVE, lease), RELEASE, params);
    this.metrics?.countLease('inbox', row ? 'ended' : 'lost');
  }

  /** Records why an inbox refuses the login. The mailbox stops sending, because answers would not be seen. */
  async failReading(lease: ReadMailbox, reason: string): Promise<void> {
    const ctx = workCtx(OUTREACH_RECEIVE, lease);
    await this.database.query(ctx, FAIL, [tenantOf(ctx), lease.id, lease.token, reason]);
  }

  /** Stores the current DNS settings of a mailbox's domain. */
  async keepDomain(lease: ReadMailbox, domain: object): Promise<void> {
    const ctx = workCtx(OUTREACH_RECEIVE, lease);
    await this.database.query(ctx, KEEP_DOMAIN, [tenantOf(ctx), lease.id, JSON.stringify(domain)]);
  }
}

const IS_IT = `${ofTenant('b')} AND b.id = $2`;

// Includes paused and failing mailboxes: their answers must still stop further messages to the contact.
const TURN_SQL = turnSql({
  table: 'outreach.mailboxes',
  alias: 'b',
  token: 'read_token',
  until: 'read_until',
  queuedAt: 'read_queued_at',
  isOpen: "b.status <> 'removed'",
  isDue: 'b.read_at <= now()',
  orderBy: 'b.read_at',
});
const TURNS = {
  takeDue: statement('reading-lease.takeDue', TURN_SQL.takeDue),
  claim: statement(
    'reading-lease.claim',
    TURN_SQL.claim(
      `b.address, b.imap, b.sealed_secrets AS "sealedSecrets", b.dkim_selector AS "dkimSelector", b.read_state AS state,
     b.domain_checked_at < now() - interval '1 day' AS "isDomainOld"`,
      `, read_at = ${inMs('$4')}`,
    ),
  ).rows<ClaimedInbox>(),
  renew: statement('reading-lease.renew', TURN_SQL.renew('b.id')),
  expireAll: statement('reading-lease.expireAll', TURN_SQL.expireAll),
};

// Keeps an earlier time: mail that came during a turn, such as answers of the sink, is read at once. In test mode further
// messages wait until the sink was read.
const RELEASE = statement(
  'reading-lease.release',
  `UPDATE outreach.mailboxes b SET read_token = NULL, read_until = NULL, read_queued_at = '-infinity', read_state = $5::json,
     read_at = CASE WHEN b.read_at <= now() THEN b.read_at ELSE ${inMs('$4')} END,
     send_queued_at = CASE WHEN b.smtp IS NULL THEN '-infinity' ELSE b.send_queued_at END
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
