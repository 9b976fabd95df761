import { randomUUID } from 'node:crypto';
import { Injectable, Optional } from '@nestjs/common';
import { inMs, workCtx } from '@quarry/durable-work';
import { systemCtx, WorkMetrics, type Mode } from '@quarry/app';
import type { SendOutcome } from '@quarry/mail';
import { Database, ofTenant, TENANT, tenantOf, type TxCtx } from '@quarry/postgres';
import { approvalHolds } from '../approvals/holds.sql.js';
import { dayOf, limitOfDay } from '../mailboxes/mailbox-day.sql.js';
import { statement } from '../statements.types.js';
import { isSuppressed, SuppressionStore } from '../suppressions/suppression.store.js';
import { EnrollmentProgress } from '../enrollments/enrollment-progress.js';
import { endOfAttempt, type AttemptEnd } from './attempt-end.js';
import { MailboxHealth } from './mailbox-health.js';
import { maySendStep } from './message-planner.js';
import { OUTREACH_SEND, type SendingMailbox } from './sending-lease.store.js';

const REPLY_CHARACTERS_MAX = 500;
const REAPED_MAX = 1000;

/** A message that this process has claimed, until its lease ends. */
export interface ClaimedMessage {
  id: string;
  token: string;
  threadId: string;
  sequenceId: string | null;
  enrollmentId: string | null;
  step: number | null;
  to: string;
  subject: string;
  text: string;
  rfcMessageId: string;
  inReplyTo: string | null;
  references: string[];
  /** Failed attempts so far. */
  tries: number;
  unsubscribeToken: string | null;
  variables: Record<string, unknown> | null;
  /** True for the last step of its enrollment. */
  isLast: boolean;
}

const system = systemCtx('outreach-send');

/** Outgoing messages: claims them, marks them as started, and settles them. Every write checks the token of the claim. */
@Injectable()
export class OutgoingMessageStore {
  constructor(
    private readonly database: Database,
    private readonly suppressions: SuppressionStore,
    private readonly progress: EnrollmentProgress,
    private readonly health: MailboxHealth,
    @Optional() private readonly metrics?: WorkMetrics,
  ) {}

  /** @returns the longest-due message of a mailbox that may be sent now; null when there is none */
  async claimMessages(lease: SendingMailbox): Promise<ClaimedMessage | null> {
    const ctx = workCtx(OUTREACH_SEND, lease);
    const token = randomUUID();
    const params = [tenantOf(ctx), lease.id, lease.token, token, OUTREACH_SEND.leaseMs] as const;
    const row = await this.database.queryOne(ctx, CLAIM, params, 'work');
    return row && { ...row, token };
  }

  /** Cancels messages of a mailbox to suppressed addresses. */
  async cancelSuppressed(lease: SendingMailbox): Promise<void> {
    const ctx = workCtx(OUTREACH_SEND, lease);
    await this.database.query(ctx, CANCEL_SUPPRESSED, [tenantOf(ctx), lease.id]);
  }

  /**
   * Commits that sending the body is about to begin: until the server answers, it is unknown whether the message was sent. Checks
   * every condition once more, under the same locks as pausing, suppressing and answering, and counts the message towards the
   * daily limits of mailbox and sequence and towards its approval.
   * @returns false when a condition no longer holds: nothing was written, and nothing may be sent
   */
  async markMessage(lease: SendingMailbox, message: ClaimedMessage): Promise<boolean> {
    const ctx = workCtx(OUTREACH_SEND, lease);
    const marked = await this.database.tryTransaction(ctx, async (tx) => {
      const tenant = tenantOf(tx);
      if (message.enrollmentId !== null) {
        await this.database.query(tx, SHARE_SEQUENCE, [tenant, message.sequenceId]);
        await this.database.query(tx, LOCK_ENROLLMENT, [tenant, message.enrollmentId]);
      }
      const params = [tenant, message.id, message.token, lease.token, OUTREACH_SEND.leaseMs] as const;
      const row = await this.database.queryOne(tx, MARK, params);
      return row!.is_marked ? true : null;
    });
    return marked !== null;
  }

  /**
   * Hands back a message whose body was not started: to be sent later, or cancelled when that will never be possible, because its
   * contact is suppressed or has replied, or its approval is gone.
   */
  async handBack(lease: SendingMailbox, { id, token, sequenceId }: ClaimedMessage): Promise<void> {
    const row = await this.progress.lockSequence(workCtx(OUTREACH_SEND, lease), sequenceId, (tx) =>
      this.database.queryOne(tx, HAND_BACK, [tenantOf(tx), id, token]),
    );
    this.metrics?.countLease('mailbox', row ? 'handed_back' : 'lost');
  }

  /** Cancels a message to an excluded contact, and ends the enrollment. */
  async excludeContact(lease: SendingMailbox, message: ClaimedMessage): Promise<void> {
    await this.progress.lockSequence(workCtx(OUTREACH_SEND, lease), message.sequenceId, async (tx) => {
      const params = [tenantOf(tx), message.id, message.token] as const;
      const row = await this.database.queryOne(tx, CANCEL, params);
      if (row && message.enrollmentId !== null)
        await this.progress.endEnrollment(tx, message.enrollmentId, 'stopped', 'excluded');
    });
  }

  /**
   * Writes the outcome of an attempt with all its consequences, at once.
   * @param answer raw mail that the test-mode sink answers with; null for none
   * @returns false when the lease was lost: the message is `unknown` or claimed by another process
   */
  async settleMessage(
    lease: SendingMailbox,
    message: ClaimedMessage,
    outcome: SendOutcome,
    answer: string | null,
  ): Promise<boolean> {
    const ctx = workCtx(OUTREACH_SEND, lease);
    const { sequenceId } = message;
    const settle = (tx: TxCtx) => this.writeEnd(tx, lease, message, outcome, answer);
    // Between two steps nothing ends, so the mailboxes of a sequence need not wait for each other's lock.
    const isBetween = outcome.kind === 'accepted' && !message.isLast;
    const unlocked = isBetween
      ? await this.database.tryTransaction(ctx, async (tx) => {
          const end = await settle(tx);
          return end.hasEnded ? null : end;
        })
      : null;
    const { isWritten } = unlocked ?? (await this.progress.lockSequence(ctx, sequenceId, settle));
    this.metrics?.countLease('mailbox', isWritten ? 'ended' : 'lost');
    return isWritten;
  }

  /** @returns whether the lease was still valid, and whether the enrollment has ended: its sequence may be complete then */
  private async writeEnd(
    tx: TxCtx,
    lease: SendingMailbox,
    message: ClaimedMessage,
    outcome: SendOutcome,
    answer: string | null,
  ): Promise<{ isWritten: boolean; hasEnded: boolean }> {
    const ended = endOfAttempt(outcome, message.tries);
    const code = 'code' in outcome ? outcome.code || null : null;
    const row = await this.database.queryOne(tx, END, [
      tenantOf(tx),
      message.id,
      message.token,
      ended.state,
      ended.nextInMs,
      ended.isFailure,
      code,
      outcome.reply.slice(0, REPLY_CHARACTERS_MAX),
      ended.isBounce,
    ]);
    if (!row) return { isWritten: false, hasEnded: false };
    if (ended.state !== 'sent' && ended.state !== 'unknown' && row.was_begun)
      await this.database.query(tx, GIVE_BACK, [tenantOf(tx), message.id]);
    const hasEnded = await this.settleEnrollment(tx, message, ended);
    await this.health.recordOutcome(tx, lease.id, outcome);
    if (ended.isBounce) await this.health.pauseBouncing(tx, lease.id);
    if (answer !== null) await this.database.query(tx, KEEP_ANSWER, [tenantOf(tx), lease.id, answer]);
    return { isWritten: true, hasEnded };
  }

  /** Settles messages of lost leases: `unknown` when the body was started, planned again when nothing can have been sent. */
  async reapMessages(): Promise<void> {
    const lapsed = await this.database.query(system, LAPSED);
    for (const { org_id: orgId, mode, sequence_id: sequenceId } of lapsed) {
      const ctx = workCtx(OUTREACH_SEND, { orgId, mode });
      const reaped = await this.progress.lockSequence(ctx, sequenceId, (tx) =>
        this.database.query(tx, REAP, [tenantOf(tx), sequenceId, REAPED_MAX]),
      );
      this.metrics?.countLease('mailbox', 'reaped', reaped.length);
    }
  }

  /** @returns whether the enrollment of a sent message has ended, by it or meanwhile */
  private async settleEnrollment(
    tx: TxCtx,
    message: ClaimedMessage,
    { state, isBounce, reason }: AttemptEnd,
  ): Promise<boolean> {
    const { enrollmentId, id, step, to } = message;
    let hasEnded = false;
    if (enrollmentId !== null) {
      if (state === 'sent') hasEnded = await this.progress.advanceEnrollment(tx, enrollmentId, step!);
      else if (state === 'unknown') await this.progress.holdEnrollment(tx, enrollmentId);
      else if (state === 'rejected')
        await this.progress.endEnrollment(tx, enrollmentId, isBounce ? 'bounced' : 'failed', reason!);
      else await this.database.query(tx, CANCEL_DEAD, [tenantOf(tx), id]);
    }
    if (isBounce) await this.suppressions.suppressAddress(tx, to, 'hard_bounce', id);
    if (state === 'sent')
      await this.database.query(tx, MOVE_THREAD, [tenantOf(tx), message.threadId, message.text]);
    return hasEnded;
  }
}

/** Joins a message `m` with its sequence `s` and its enrollment `e`, if it has them. */
const WITH_SEQUENCE = `LEFT JOIN outreach.sequences s ON s.org_id = m.org_id AND s.mode = m.mode AND s.id = m.sequence_id
    AND m.enrollment_id IS NOT NULL
  LEFT JOIN outreach.enrollments e ON e.org_id = m.org_id AND e.mode = m.mode AND e.id = m.enrollment_id`;

/** Returns the condition that a message may be sent at a time. A reply that a person has written is exempt from windows. */
const mayLeave = (at: string): string => `${approvalHolds('m')} AND NOT ${isSuppressed('m', 'to_address')}
    AND (m.enrollment_id IS NULL OR (e.step = m.step AND ${maySendStep(at)}))`;

const CLAIM = statement(
  'outgoing-message.claim',
  `
  WITH next AS (
    SELECT m.id, e.unsubscribe_token, e.variables, m.step + 1 >= s.step_count AS is_last
    FROM outreach.messages m ${WITH_SEQUENCE}
    WHERE ${ofTenant('m')} AND m.mailbox_id = $2 AND m.due_at <= now() AND m.state IN ('planned', 'deferred') AND ${mayLeave('now()')}
      AND EXISTS (SELECT FROM outreach.mailboxes b WHERE b.org_id = m.org_id AND b.mode = m.mode AND b.id = m.mailbox_id
        AND b.status = 'connected' AND b.send_token = $3 AND b.send_until > now())
    ORDER BY m.due_at, m.id LIMIT 1 FOR UPDATE OF m SKIP LOCKED)
  UPDATE outreach.messages m SET state = 'claimed', token = $4, lease_until = ${inMs('$5')}, due_at = NULL FROM next
  WHERE ${ofTenant('m')} AND m.id = next.id
  RETURNING m.id, m.thread_id AS "threadId", m.sequence_id AS "sequenceId", m.enrollment_id AS "enrollmentId", m.step,
    m.to_address AS "to", m.subject, m.body_text AS "text", m.rfc_message_id AS "rfcMessageId", m.in_reply_to AS "inReplyTo",
    m.reference_ids AS "references", m.tries, next.unsubscribe_token AS "unsubscribeToken", next.variables,
    coalesce(next.is_last, true) AS "isLast"`,
)
  .prepared()
  .rows<Omit<ClaimedMessage, 'token'>>();

const CANCEL_SUPPRESSED = statement(
  'outgoing-message.cancelSuppressed',
  `UPDATE outreach.messages m SET state = 'cancelled', due_at = NULL, ended_at = clock_timestamp()
   WHERE ${ofTenant('m')} AND m.mailbox_id = $2 AND m.due_at <= now() AND ${isSuppressed('m', 'to_address')}`,
);

const SHARE_SEQUENCE = statement(
  'outgoing-message.shareSequence',
  `SELECT s.id FROM outreach.sequences s WHERE ${ofTenant('s')} AND s.id = $2 FOR SHARE`,
).prepared();

const LOCK_ENROLLMENT = statement(
  'outgoing-message.lockEnrollment',
  `SELECT e.id FROM outreach.enrollments e WHERE ${ofTenant('e')} AND e.id = $2 FOR UPDATE`,
).prepared();

/** Returns SQL that counts one message towards the daily limit of an owner, if the limit is not reached. */
const takePlace = (from: string, limit: string): string => `
    INSERT INTO outreach.sending_days AS d (org_id, mode, owner_id, day, started, day_limit)
    SELECT ${TENANT}, o.id, o.day, 1, ${limit} FROM ${from} o
    ON CONFLICT (org_id, mode, owner_id, day) DO UPDATE SET started = d.started + 1, day_limit = EXCLUDED.day_limit
      WHERE d.started < EXCLUDED.day_limit
    RETURNING 1`;

// The gap is random, between half and one and a half of the configured one: a regular gap would look automatic.
const MARK = statement(
  'outgoing-message.mark',
  `
  WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS at),
  held AS MATERIALIZED (
    SELECT m.id, m.mailbox_id, m.approval_id, s.id AS sequence_id, s.daily_limit, ${dayOf('s', 'clock.at')} AS day
    FROM clock, outreach.messages m ${WITH_SEQUENCE}
    WHERE ${ofTenant('m')} AND m.id = $2 AND m.state = 'claimed' AND m.token = $3 AND m.lease_until > clock.at AND ${mayLeave('clock.at')}),
  mailbox AS (
    UPDATE outreach.mailboxes b SET first_day = coalesce(b.first_day, ${dayOf('b', 'clock.at')}),
      next_send_at = clock.at + make_interval(secs => b.gap_seconds * (0.5 + random()))
    FROM clock, held WHERE ${ofTenant('b')} AND b.id = held.mailbox_id AND b.status = 'connected' AND b.send_token = $4
    RETURNING b.id, ${dayOf('b', 'clock.at')} AS day, ${limitOfDay('b', 'clock.at')} AS day_limit),
  mailbox_day AS (${takePlace('mailbox', 'o.day_limit')}),
  sequence AS (SELECT sequence_id AS id, day, daily_limit FROM held WHERE sequence_id IS NOT NULL),
  sequence_day AS (${takePlace('sequence', 'coalesce(o.daily_limit, 2147483647)')}),
  approval AS (
    UPDATE outreach.approvals a SET started = a.started + 1 FROM held
    WHERE ${ofTenant('a')} AND a.id = held.approval_id AND a.status = 'approved' AND a.started < a.messages RETURNING 1),
  message AS (
    UPDATE outreach.messages m SET state = 'sending', data_started_at = clock.at, lease_until = ${inMs('$5')} FROM clock, held
    WHERE ${ofTenant('m')} AND m.id = held.id AND m.state = 'claimed' AND m.token = $3 RETURNING m.id)
  SELECT EXISTS (SELECT FROM message) AND EXISTS (SELECT FROM mailbox_day) AND EXISTS (SELECT FROM approval)
    AND (SELECT count(*) FROM sequence) = (SELECT count(*) FROM sequence_day) AS is_marked`,
)
  .prepared()
  .rows<{ is_marked: boolean }>();

/** Condition that a message can never be sent. */
const IS_DEAD = `(${isSuppressed('m', 'to_address')}
    OR EXISTS (SELECT FROM outreach.enrollments e WHERE e.org_id = m.org_id AND e.mode = m.mode AND e.id = m.enrollment_id
      AND e.ended_at IS NOT NULL)
    OR (m.draft_id IS NOT NULL AND NOT ${approvalHolds('m')}))`;

const HAND_BACK = statement(
  'outgoing-message.handBack',
  `UPDATE outreach.messages m SET state = CASE WHEN ${IS_DEAD} THEN 'cancelled' ELSE 'planned' END, token = NULL, lease_until = NULL,
     due_at = CASE WHEN NOT ${IS_DEAD} THEN now() END, ended_at = CASE WHEN ${IS_DEAD} THEN clock_timestamp() END
   WHERE ${ofTenant('m')} AND m.id = $2 AND m.token = $3 AND m.state = 'claimed' RETURNING m.state`,
);

/** Cancels a message that is due again but can never be sent. */
const CANCEL_DEAD = statement(
  'outgoing-message.cancelDead',
  `UPDATE outreach.messages m SET state = 'cancelled', due_at = NULL, ended_at = clock_timestamp()
   WHERE ${ofTenant('m')} AND m.id = $2 AND m.state IN ('planned', 'deferred') AND ${IS_DEAD}`,
);

const CANCEL = statement(
  'outgoing-message.cancel',
  `UPDATE outreach.messages m SET state = 'cancelled', token = NULL, lease_until = NULL, ended_at = clock_timestamp()
   WHERE ${ofTenant('m')} AND m.id = $2 AND m.token = $3 AND m.state = 'claimed' RETURNING m.id`,
);

/** An attempt whose outcome says nothing about the message, but whose body was started, is retried like a temporary refusal. */
const NEXT_STATE = `CASE WHEN $4 = 'planned' AND m.state = 'sending' THEN 'deferred' ELSE $4 END`;

const END = statement(
  'outgoing-message.end',
  `
  WITH held AS (
    SELECT m.id, m.state = 'sending' AS was_begun FROM outreach.messages m
    WHERE ${ofTenant('m')} AND m.id = $2 AND m.token = $3 AND m.state IN ('claimed', 'sending') FOR UPDATE)
  UPDATE outreach.messages m SET state = ${NEXT_STATE}, token = NULL, lease_until = NULL,
    due_at = CASE WHEN $4 IN ('planned', 'deferred') THEN ${inMs('$5::bigint')} END,
    ended_at = CASE WHEN $4 NOT IN ('planned', 'deferred') THEN clock_timestamp() END,
    tries = m.tries + CASE WHEN $6::boolean THEN 1 ELSE 0 END, smtp_code = $7, smtp_reply = $8,
    kind = CASE WHEN $9::boolean THEN 'bounce' ELSE m.kind END
  FROM held WHERE ${ofTenant('m')} AND m.id = held.id RETURNING held.was_begun`,
).prepared();

const GIVE_BACK = statement(
  'outgoing-message.giveBack',
  `
  WITH place AS (
    SELECT m.approval_id, b.id AS mailbox_id, ${dayOf('b', 'm.data_started_at')} AS mailbox_day, s.id AS sequence_id,
      ${dayOf('s', 'm.data_started_at')} AS sequence_day
    FROM outreach.messages m JOIN outreach.mailboxes b ON b.org_id = m.org_id AND b.mode = m.mode AND b.id = m.mailbox_id ${WITH_SEQUENCE}
    WHERE ${ofTenant('m')} AND m.id = $2),
  approval AS (
    UPDATE outreach.approvals a SET started = a.started - 1 FROM place
    WHERE ${ofTenant('a')} AND a.id = place.approval_id AND a.started > 0)
  UPDATE outreach.sending_days d SET started = d.started - 1 FROM place
  WHERE ${ofTenant('d')} AND d.started > 0
    AND (d.owner_id, d.day) IN ((place.mailbox_id, place.mailbox_day), (place.sequence_id, place.sequence_day))`,
);

const MOVE_THREAD = statement(
  'outgoing-message.moveThread',
  `UPDATE outreach.threads t SET last_at = now(), snippet = left($3, 200) WHERE ${ofTenant('t')} AND t.id = $2`,
).prepared();

const KEEP_ANSWER = statement(
  'outgoing-message.keepAnswer',
  `
  WITH kept AS (INSERT INTO outreach.sink_mails (org_id, mode, mailbox_id, raw) VALUES (${TENANT}, $2, $3))
  UPDATE outreach.mailboxes b SET read_at = now() WHERE ${ofTenant('b')} AND b.id = $2`,
);

// A mailbox sends one message at a time.
const LAPSED = statement(
  'outgoing-message.lapsed',
  `SELECT DISTINCT m.org_id, m.mode, m.sequence_id FROM outreach.messages m WHERE m.token IS NOT NULL AND m.lease_until < now()`,
).rows<{ mode: Mode }>();

const REAP = statement(
  'outgoing-message.reap',
  `
  WITH lapsed AS (
    SELECT m.id FROM outreach.messages m
    WHERE ${ofTenant('m')} AND m.sequence_id IS NOT DISTINCT FROM $2 AND m.token IS NOT NULL AND m.lease_until < now()
    LIMIT $3 FOR UPDATE SKIP LOCKED),
  reaped AS (
    UPDATE outreach.messages m SET token = NULL, lease_until = NULL,
      state = CASE WHEN m.state = 'sending' THEN 'unknown' WHEN ${IS_DEAD} THEN 'cancelled' ELSE 'planned' END,
      due_at = CASE WHEN m.state = 'claimed' AND NOT ${IS_DEAD} THEN now() END,
      ended_at = CASE WHEN m.state = 'sending' OR ${IS_DEAD} THEN clock_timestamp() END
    FROM lapsed WHERE ${ofTenant('m')} AND m.id = lapsed.id
    RETURNING m.enrollment_id, m.state),
  held AS (
    UPDATE outreach.enrollments e SET next_at = NULL, reason = 'unknown_delivery' FROM reaped
    WHERE reaped.state = 'unknown' AND ${ofTenant('e')} AND e.id = reaped.enrollment_id AND e.status = 'active')
  SELECT state FROM reaped`,
);
