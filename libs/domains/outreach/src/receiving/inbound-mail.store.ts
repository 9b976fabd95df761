import { Injectable } from '@nestjs/common';
import { workCtx } from '@quarry/durable-work';
import { newId } from '@quarry/app';
import type { BouncedRecipient, FoundMail, InboundMail, ReadState } from '@quarry/mail';
import { Database, ofTenant, TENANT, tenantOf, type TxCtx } from '@quarry/postgres';
import { EnrollmentProgress } from '../enrollments/enrollment-progress.js';
import { MailboxHealth } from '../sending/mailbox-health.js';
import { statement } from '../statements.types.js';
import { SuppressionStore } from '../suppressions/suppression.store.js';
import { OUTREACH_RECEIVE, type ReadMailbox } from './reading-lease.store.js';

/**
 * Temporary bounces, of different messages and within this many days, after which an address counts as dead. Source:
 * docs/outreach.md.
 */
const SOFT_BOUNCES_MAX = 3;
const SOFT_BOUNCE_DAYS = 14;
/**
 * A bounce without a Message-ID is matched to the last message to its recipient, if that is not older than this. Source:
 * docs/outreach.md.
 */
const UNNAMED_BOUNCE_DAYS = 7;
const TEXT_MAX = 100_000;
const HTML_MAX = 500_000;
const SUBJECT_MAX = 1_000;

/** A sent message that an incoming mail answers or returns. */
type OwnMessage = (typeof MATCH)['types']['row'];

/** Stores incoming mails about people to whom messages were sent, with all their consequences, once. */
@Injectable()
export class InboundMailStore {
  constructor(
    private readonly database: Database,
    private readonly suppressions: SuppressionStore,
    private readonly health: MailboxHealth,
    private readonly progress: EnrollmentProgress,
  ) {}

  /**
   * Processes a mail: its consequences, the record that it was seen, and the reading position of its folder are written together.
   * @param mail null for one that cannot be parsed, which is skipped
   * @returns false when the lease is lost, and nothing was written
   */
  async takeMessage(
    lease: ReadMailbox,
    found: FoundMail,
    mail: InboundMail | null,
    state: ReadState,
  ): Promise<boolean> {
    const taken = await this.database.tryTransaction(workCtx(OUTREACH_RECEIVE, lease), async (tx) => {
      const { id: mailboxId, token } = lease;
      const place = [mailboxId, found.folder, found.uidvalidity, found.uid] as const;
      const isNew = await this.database.queryOne(tx, SEE, [tenantOf(tx), ...place]);
      if (isNew && mail) await this.classifyMail(tx, lease, found, mail);
      // Last, because a mailbox is locked after sequences and messages (EnrollmentProgress).
      const reached = JSON.stringify(state);
      const kept = [tenantOf(tx), mailboxId, token, OUTREACH_RECEIVE.leaseMs, reached] as const;
      return this.database.queryOne(tx, ADVANCE, kept);
    });
    return taken !== null;
  }

  private async classifyMail(
    tx: TxCtx,
    lease: ReadMailbox,
    found: FoundMail,
    mail: InboundMail,
  ): Promise<void> {
    if (found.isSent || mail.from.address === lease.address) {
      const copy = await this.matchMessage(tx, lease, [mail.messageId]);
      if (copy) await this.resolveSending(tx, copy);
    } else if (mail.unsubscribeToken !== null)
      await this.unsubscribeSender(tx, lease, mail, mail.unsubscribeToken);
    else if (mail.kind === 'bounce') await this.takeBounce(tx, lease, mail);
    else await this.takeAnswer(tx, lease, mail);
  }

  private async takeAnswer(tx: TxCtx, lease: ReadMailbox, mail: InboundMail): Promise<void> {
    const named = [mail.inReplyTo, ...mail.references.toReversed()].filter((id) => id !== null);
    const answered = await this.matchMessage(tx, lease, named);
    const { kind } = mail;
    // What a mail system sends automatically does not count as the contact's words.
    const params = [tenantOf(tx), lease.id, mail.from.address] as const;
    const thread =
      answered || kind === 'bounce_suspected' ? null : await this.database.queryOne(tx, THREAD_OF, params);
    const threadId = answered?.thread_id ?? thread?.id;
    if (threadId === undefined) return;
    if (answered && kind !== 'bounce_suspected') await this.resolveSending(tx, answered);
    await this.keepMail(tx, lease, threadId, mail, null, async () => {
      if (kind !== 'reply' && kind !== 'unsubscribe') return;
      // The other address counts too when another person replies for the contact.
      for (const value of new Set([answered?.to_address ?? mail.from.address, mail.from.address]))
        await this.progress.endEnrollments(tx, { kind: 'address', value }, 'replied', 'reply');
    });
  }

  /** Handles a bounce. One that names none of our messages changes nothing, because anyone can send it. */
  private async takeBounce(tx: TxCtx, lease: ReadMailbox, mail: InboundMail): Promise<void> {
    const returned = await this.matchBounced(tx, lease, mail.bounces);
    if (!returned) return;
    const { rfc_message_id: messageId, to_address: to } = returned;
    const ofIt = mail.bounces.filter((each) => each.messageId === messageId || each.messageId === null);
    const report = { ...(ofIt.find(({ recipient }) => recipient === to) ?? ofIt[0]!), messageId };
    if (report.action !== 'failed' && report.action !== 'delayed') return;
    await this.resolveSending(tx, returned);
    const isHard = report.action === 'failed' && report.status.startsWith('5');
    const isNew = await this.keepMail(tx, lease, returned.thread_id, mail, report, () =>
      isHard ? this.recordBounce(tx, returned) : this.countSoftBounce(tx, returned),
    );
    if (isNew && isHard) await this.health.pauseBouncing(tx, lease.id);
  }

  private async recordBounce(
    tx: TxCtx,
    { id, sequence_id: sequenceId, enrollment_id, to_address: value }: OwnMessage,
  ): Promise<void> {
    await this.progress.lockSequence(tx, sequenceId, async () => {
      await this.database.query(tx, RETURNED, [tenantOf(tx), id, enrollment_id]);
      await this.suppressions.suppressAddress(tx, value, 'hard_bounce', id);
    });
  }

  private async countSoftBounce(tx: TxCtx, { id, to_address: value }: OwnMessage): Promise<void> {
    const row = await this.database.queryOne(tx, SOFT_BOUNCES, [tenantOf(tx), value, SOFT_BOUNCE_DAYS]);
    if (row!.count >= SOFT_BOUNCES_MAX)
      await this.suppressions.suppressAddress(tx, value, 'soft_bounces', id);
  }

  private async unsubscribeSender(
    tx: TxCtx,
    lease: ReadMailbox,
    mail: InboundMail,
    token: string,
  ): Promise<void> {
    const enrollment = await this.database.queryOne(tx, BY_TOKEN, [tenantOf(tx), token]);
    if (!enrollment) return;
    const { email, thread_id: threadId } = enrollment;
    const suppress = () => this.suppressions.suppressAddress(tx, email, 'unsubscribed');
    const isKept =
      threadId !== null &&
      (await this.keepMail(tx, lease, threadId, { ...mail, kind: 'unsubscribe' }, null, suppress));
    if (!isKept) await suppress();
  }

  /** Finds the message that a bounce embeds; without a Message-ID, by the recipient that it names. */
  private matchBounced(
    tx: TxCtx,
    lease: ReadMailbox,
    bounces: readonly BouncedRecipient[],
  ): Promise<OwnMessage | null> {
    const named = bounces.flatMap(({ messageId }) => messageId ?? []);
    if (named.length > 0) return this.matchMessage(tx, lease, named);
    // Each of our messages has one recipient, and so has its bounce.
    const recipient = bounces[0]?.recipient ?? '';
    return this.database.queryOne(tx, LAST_TO, [tenantOf(tx), lease.id, recipient, UNNAMED_BOUNCE_DAYS]);
  }

  private matchMessage(tx: TxCtx, lease: ReadMailbox, ids: readonly string[]): Promise<OwnMessage | null> {
    if (ids.length === 0) return Promise.resolve(null);
    return this.database.queryOne(tx, MATCH, [tenantOf(tx), lease.id, [...ids]]);
  }

  /**
   * Marks a message as sent when it was answered, returned or filed as sent, even while the sender still waits for the server:
   * that sender loses the message.
   */
  private async resolveSending(
    tx: TxCtx,
    { id, state, sequence_id, enrollment_id, step }: OwnMessage,
  ): Promise<void> {
    if (state !== 'unknown' && state !== 'sending') return;
    await this.progress.lockSequence(tx, sequence_id, async () => {
      const row = await this.database.queryOne(tx, RESOLVE, [tenantOf(tx), id]);
      if (row && enrollment_id !== null) await this.progress.advanceEnrollment(tx, enrollment_id, step!);
    });
  }

  /**
   * Stores a mail in its thread.
   * @param writeEffects writes its effects on enrollments and messages, which are locked before the thread
   * @returns whether it is new: a mail that was moved to another folder has its effects once
   */
  private async keepMail(
    tx: TxCtx,
    lease: ReadMailbox,
    threadId: string,
    mail: InboundMail,
    report: BouncedRecipient | null,
    writeEffects: () => Promise<unknown>,
  ): Promise<boolean> {
    const kind = mail.kind === 'bounce_suspected' ? 'bounce' : mail.kind;
    const text = storableExcerpt(mail.text, TEXT_MAX);
    const html = mail.html !== null && mail.html.length <= HTML_MAX ? mail.html : null;
    const isNew = await this.database.queryOne(tx, KEEP, [
      tenantOf(tx),
      newId('msg'),
      threadId,
      lease.id,
      kind,
      mail.messageId,
      report?.messageId ?? mail.inReplyTo,
      [...mail.references],
      mail.from.address,
      lease.address,
      storableExcerpt(mail.subject, SUBJECT_MAX),
      text,
      mail.quotedText && storableExcerpt(mail.quotedText, TEXT_MAX),
      html && storableExcerpt(html, HTML_MAX),
      report?.status ?? null,
    ]);
    if (!isNew) return false;
    await writeEffects();
    const name = mail.from.name && storableExcerpt(mail.from.name, 200);
    await this.database.query(tx, MOVE_THREAD, [tenantOf(tx), threadId, kind, text, mail.from.address, name]);
    return true;
  }
}

/** @returns an excerpt of a foreign text that the database can store */
function storableExcerpt(text: string, max: number): string {
  return text.slice(0, max).replaceAll('\0', '').toWellFormed();
}

const SEE = statement(
  'inbound-mail.see',
  `INSERT INTO outreach.seen_mails (org_id, mode, mailbox_id, folder, uidvalidity, uid) VALUES (${TENANT}, $2, $3, $4, $5)
   ON CONFLICT DO NOTHING RETURNING uid`,
);

const ADVANCE = statement(
  'inbound-mail.advance',
  `UPDATE outreach.mailboxes b SET read_state = $5::json, read_until = now() + make_interval(secs => $4 / 1000.0)
   WHERE ${ofTenant('b')} AND b.id = $2 AND b.read_token = $3 RETURNING b.id`,
);

const OWN_COLUMNS =
  'm.id, m.thread_id, m.sequence_id, m.enrollment_id, m.step, m.state, m.to_address, m.rfc_message_id';

/**
 * Condition that a mailbox is the one being read, or was removed. Mail for a removed mailbox may arrive in another one, or in
 * itself when it is connected again. An array, because indexes can use it.
 */
const isReadHere = (mailboxId: string): string => `${mailboxId} = ANY (ARRAY(
     SELECT b.id FROM outreach.mailboxes b WHERE ${ofTenant('b')} AND (b.id = $2 OR b.status = 'removed')))`;

const MATCH = statement(
  'inbound-mail.match',
  `SELECT ${OWN_COLUMNS} FROM outreach.messages m
   WHERE ${ofTenant('m')} AND ${isReadHere('m.mailbox_id')} AND m.direction = 'out' AND m.rfc_message_id = ANY ($3::text[])
     AND m.data_started_at IS NOT NULL
   ORDER BY array_position($3::text[], m.rfc_message_id) LIMIT 1`,
);

const LAST_TO = statement(
  'inbound-mail.lastTo',
  `SELECT ${OWN_COLUMNS} FROM outreach.threads t
   JOIN outreach.messages m ON m.org_id = t.org_id AND m.mode = t.mode AND m.thread_id = t.id
   WHERE ${ofTenant('t')} AND ${isReadHere('t.mailbox_id')} AND t.contact_email = $3
     AND m.direction = 'out' AND m.data_started_at > now() - make_interval(days => $4)
   ORDER BY m.data_started_at DESC LIMIT 1`,
);

const THREAD_OF = statement(
  'inbound-mail.threadOf',
  `SELECT t.id FROM outreach.threads t WHERE ${ofTenant('t')} AND ${isReadHere('t.mailbox_id')} AND t.contact_email = $3
   ORDER BY t.last_at DESC LIMIT 1`,
);

const KEEP = statement(
  'inbound-mail.keep',
  `
  INSERT INTO outreach.messages (org_id, mode, id, thread_id, mailbox_id, direction, kind, state, rfc_message_id, in_reply_to,
    reference_ids, from_address, to_address, subject, body_text, quoted_text, body_html, smtp_reply, ended_at)
  VALUES (${TENANT}, $2, $3, $4, 'in', $5, 'received', $6, $7, $8::text[], $9, $10, $11, $12, $13, $14, $15, now())
  ON CONFLICT (org_id, mode, mailbox_id, direction, rfc_message_id) DO NOTHING RETURNING id`,
);

const MOVE_THREAD = statement(
  'inbound-mail.moveThread',
  `UPDATE outreach.threads t SET kind = $3, unread = true, last_at = now(), received_at = now(), snippet = left($4, 200),
     contact_name = coalesce(t.contact_name, CASE WHEN t.contact_email = $5 THEN $6 END)
   WHERE ${ofTenant('t')} AND t.id = $2`,
);

const RESOLVE = statement(
  'inbound-mail.resolve',
  `UPDATE outreach.messages m SET state = 'sent', token = NULL, lease_until = NULL, ended_at = clock_timestamp()
   WHERE ${ofTenant('m')} AND m.id = $2 AND m.state IN ('sending', 'unknown') RETURNING m.id`,
);

// Includes enrollments that were finished with this message.
const RETURNED = statement(
  'inbound-mail.returned',
  `
  WITH returned AS (UPDATE outreach.messages m SET kind = 'bounce' WHERE ${ofTenant('m')} AND m.id = $2)
  UPDATE outreach.enrollments e SET status = 'bounced', reason = 'hard_bounce', next_at = NULL,
    ended_at = coalesce(e.ended_at, clock_timestamp())
  WHERE ${ofTenant('e')} AND e.id = $3 AND e.status IN ('waiting', 'active', 'finished')`,
);

const SOFT_BOUNCES = statement(
  'inbound-mail.softBounces',
  `SELECT count(DISTINCT m.in_reply_to)::integer AS count FROM outreach.threads t
   JOIN outreach.messages m ON m.org_id = t.org_id AND m.mode = t.mode AND m.thread_id = t.id
   WHERE ${ofTenant('t')} AND t.contact_email = $2 AND m.direction = 'in' AND m.kind = 'bounce' AND m.smtp_reply LIKE '4.%'
     AND m.created_at > now() - make_interval(days => $3)`,
).rows<{ count: number }>();

const BY_TOKEN = statement(
  'inbound-mail.byToken',
  `SELECT e.id, e.email, e.thread_id FROM outreach.enrollments e WHERE ${ofTenant('e')} AND e.unsubscribe_token = $2`,
);
