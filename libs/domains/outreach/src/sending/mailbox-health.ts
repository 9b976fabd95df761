import { Injectable } from '@nestjs/common';
import { inMs } from '@quarry/durable-work';
import type { SendOutcome } from '@quarry/mail';
import { Database, ofTenant, tenantOf, type TxCtx } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { pauseMs } from './retry-schedule.js';

/** Consecutive connection failures after which a mailbox counts as failing. */
const FAILURES_MAX = 5;
/** Number of recent messages, and how many of them may bounce or be refused permanently before a mailbox pauses itself. */
const BOUNCES_OF = 100;
const BOUNCES_MAX = 5;
const REFUSED_LOGIN = 'The server for sending refuses the user or the password.';
const REFUSED_ADDRESS = 'The server for sending is at an address that may not be connected to.';
const UNREACHABLE = 'The server for sending could not be reached five times in a row.';

/** Rests, fails or pauses a mailbox because of what happened to its messages. */
@Injectable()
export class MailboxHealth {
  constructor(private readonly database: Database) {}

  /**
   * Records what an attempt says about the server of a mailbox: it works, it rests after a failed connection, or it fails until a
   * person changes its settings.
   */
  async recordOutcome(tx: TxCtx, mailboxId: string, outcome: SendOutcome): Promise<void> {
    const tenant = tenantOf(tx);
    if (outcome.kind === 'accepted') await this.database.query(tx, WORKS, [tenant, mailboxId]);
    if (outcome.kind !== 'failed' || outcome.cause === 'aborted') return;
    if (outcome.cause !== 'connection') {
      const reason = outcome.cause === 'login' ? REFUSED_LOGIN : REFUSED_ADDRESS;
      await this.database.query(tx, FAIL, [tenant, mailboxId, reason]);
      return;
    }
    const row = await this.database.queryOne(tx, COUNT_FAILURE, [tenant, mailboxId]);
    if (!row) return;
    const { failures } = row;
    if (failures >= FAILURES_MAX) await this.database.query(tx, FAIL, [tenant, mailboxId, UNREACHABLE]);
    else await this.database.query(tx, REST, [tenant, mailboxId, pauseMs(failures)]);
  }

  /** Pauses a mailbox when more than five of its last hundred messages bounced or were refused permanently. */
  async pauseBouncing(tx: TxCtx, mailboxId: string): Promise<void> {
    await this.database.query(tx, PAUSE_BOUNCING, [tenantOf(tx), mailboxId, BOUNCES_OF, BOUNCES_MAX]);
  }
}

const WORKS = statement(
  'mailbox-health.works',
  `UPDATE outreach.mailboxes b SET failures = 0 WHERE ${ofTenant('b')} AND b.id = $2 AND b.failures > 0`,
).prepared();

const COUNT_FAILURE = statement(
  'mailbox-health.countFailure',
  `UPDATE outreach.mailboxes b SET failures = b.failures + 1 WHERE ${ofTenant('b')} AND b.id = $2 RETURNING b.failures`,
);

const REST = statement(
  'mailbox-health.rest',
  `UPDATE outreach.mailboxes b SET next_send_at = ${inMs('$3')} WHERE ${ofTenant('b')} AND b.id = $2`,
);

const FAIL = statement(
  'mailbox-health.fail',
  `UPDATE outreach.mailboxes b SET status = 'failing', status_reason = $3 WHERE ${ofTenant('b')} AND b.id = $2 AND b.status = 'connected'`,
);

// Ids are ordered by time.
const PAUSE_BOUNCING = statement(
  'mailbox-health.pauseBouncing',
  `UPDATE outreach.mailboxes b SET status = 'paused',
     status_reason = 'More than five of the last hundred messages were refused or returned, as nobody has the address.'
   WHERE ${ofTenant('b')} AND b.id = $2 AND b.status = 'connected' AND $4 < (
     SELECT count(*) FILTER (WHERE l.kind = 'bounce') FROM (
       SELECT m.kind FROM outreach.messages m
       WHERE m.org_id = b.org_id AND m.mode = b.mode AND m.mailbox_id = b.id AND m.direction = 'out' AND m.state IN ('sent', 'rejected')
       ORDER BY m.rfc_message_id DESC LIMIT $3) l)`,
);
