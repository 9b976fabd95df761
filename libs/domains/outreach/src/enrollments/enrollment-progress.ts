import { Injectable } from '@nestjs/common';
import type { Ctx } from '@quarry/app';
import { ofTenant, tenantOf, Database, type TxCtx } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/** Contacts whose enrollments end: one address, or all addresses of a domain and its subdomains. */
export interface Contacts {
  kind: 'address' | 'domain';
  /** In lower case. */
  value: string;
  /** Limits the end to one sequence; all when left out. */
  sequenceId?: string;
}

/**
 * Moves enrollments from one message to the next, or to their end, and completes a sequence with its last one.
 *
 * The order of locks, here and wherever messages are sent, received or approved: sequences by their ids, enrollments, messages,
 * threads, and then mailboxes and approvals. A message that is accepted between two steps locks its enrollment, but no sequence.
 * Two bounces that each end enrollments of several sequences may still wait for each other: then one transaction is repeated.
 */
@Injectable()
export class EnrollmentProgress {
  constructor(private readonly database: Database) {}

  /**
   * Runs work that may end an enrollment in a transaction that locks the sequence, and completes it at the end when nothing of
   * it is left.
   * @param sequenceId null for work on no sequence
   */
  lockSequence<Result>(
    ctx: Ctx | TxCtx,
    sequenceId: string | null,
    work: (tx: TxCtx) => Promise<Result>,
  ): Promise<Result> {
    return this.database.transaction(ctx, async (tx) => {
      if (sequenceId === null) return work(tx);
      await this.database.query(tx, LOCK, [tenantOf(tx), sequenceId]);
      const result = await work(tx);
      await this.completeIfDone(tx, sequenceId);
      return result;
    });
  }

  /**
   * Records that a server has taken the message of a step: the next one becomes due after its delay, or the enrollment is
   * finished.
   * @returns whether the enrollment has ended, now or before; its sequence may be complete then
   */
  async advanceEnrollment(tx: TxCtx, enrollmentId: string, step: number): Promise<boolean> {
    const row = await this.database.queryOne(tx, ADVANCE, [tenantOf(tx), enrollmentId, step]);
    return row?.has_ended ?? false;
  }

  /** Ends an open enrollment, and cancels its planned messages. Its sequence may be complete then. */
  async endEnrollment(
    tx: TxCtx,
    enrollmentId: string,
    status: 'stopped' | 'failed' | 'bounced',
    reason: string,
  ): Promise<void> {
    await this.database.query(tx, END, [tenantOf(tx), enrollmentId, status, reason]);
  }

  /** Suspends an enrollment because it is unknown whether its message was sent: it waits for an answer, or for a person. */
  async holdEnrollment(tx: TxCtx, enrollmentId: string): Promise<void> {
    await this.database.query(tx, HOLD, [tenantOf(tx), enrollmentId]);
  }

  /**
   * Ends the waiting and active enrollments of contacts, cancels their planned messages, and completes sequences without further
   * contacts. For a finished enrollment it records what followed the last message: an answer, a bounce, an unsubscription. The
   * locks of the sequences also serialise the numbers of events.
   * @returns the number of enrollments that it has ended
   */
  async endEnrollments(
    tx: TxCtx,
    contacts: Contacts,
    status: 'replied' | 'bounced' | 'unsubscribed' | 'stopped',
    reason: string,
  ): Promise<number> {
    const whose = [tenantOf(tx), contacts.kind, contacts.value, contacts.sequenceId ?? null] as const;
    const sequences = await this.database.query(tx, LOCK_SEQUENCES, whose);
    const ended = await this.database.query(tx, END_CONTACTS, [...whose, status, reason]);
    if (status !== 'stopped') await this.database.query(tx, NOTE, [...whose, status, reason]);
    await this.database.query(tx, CANCEL, whose);
    for (const { id } of sequences) await this.completeIfDone(tx, id);
    return ended.length;
  }

  /** Ends the open enrollments of an archived sequence that the caller has locked, and cancels its planned messages. */
  async endArchived(tx: TxCtx, sequenceId: string): Promise<void> {
    await this.database.query(tx, END_ARCHIVED, [tenantOf(tx), sequenceId]);
    await this.database.query(tx, CANCEL_ARCHIVED, [tenantOf(tx), sequenceId]);
  }

  /**
   * Completes an active sequence when every enrollment has ended and no message waits. Must be called in the transaction that
   * ends an enrollment, after all its other writes about a message.
   */
  async completeIfDone(tx: TxCtx, sequenceId: string): Promise<void> {
    const params = [tenantOf(tx), sequenceId] as const;
    // With two concurrent ends of the last two enrollments, the second one sees the result of the first.
    if (await this.database.queryOne(tx, LOCK_ACTIVE, params))
      await this.database.query(tx, COMPLETE, params);
  }
}

/** Condition that an address equals `$3`, or belongs to the domain `$3` or a subdomain. */
const ofContacts = (address: string): string =>
  `CASE $2::text WHEN 'address' THEN ${address} = $3::text
    ELSE '.' || split_part(${address}, '@', 2) LIKE '%.' || $3::text END`;

// No self-join of the contacts: without statistics it compares every contact with every other one.
const OF_CONTACTS = `${ofTenant('e')} AND ($2::text <> 'address' OR e.email = $3::text) AND ${ofContacts('e.email')}
  AND ($4::text IS NULL OR e.sequence_id = $4)`;

const LOCK_SEQUENCES = statement(
  'enrollment-progress.lockSequences',
  `SELECT s.id FROM outreach.sequences s
   WHERE ${ofTenant('s')} AND s.id IN (SELECT e.sequence_id FROM outreach.enrollments e
     WHERE ${OF_CONTACTS} AND (e.ended_at IS NULL OR e.status = 'finished'))
   ORDER BY s.id FOR NO KEY UPDATE`,
);

const END_CONTACTS = statement(
  'enrollment-progress.endContacts',
  `UPDATE outreach.enrollments e SET status = $5, reason = $6, next_at = NULL, ended_at = clock_timestamp()
   WHERE ${OF_CONTACTS} AND e.ended_at IS NULL RETURNING 1`,
);

const NOTE = statement(
  'enrollment-progress.note',
  `UPDATE outreach.enrollments e SET status = $5, reason = $6, ended_at = clock_timestamp()
   WHERE ${OF_CONTACTS} AND e.status = 'finished'`,
);

const END_ARCHIVED = statement(
  'enrollment-progress.endArchived',
  `UPDATE outreach.enrollments e SET status = 'stopped', reason = 'archived', next_at = NULL, ended_at = clock_timestamp()
   WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND e.ended_at IS NULL`,
);

const CANCEL_ARCHIVED = statement(
  'enrollment-progress.cancelArchived',
  `UPDATE outreach.messages m SET state = 'cancelled', due_at = NULL, ended_at = clock_timestamp()
   WHERE ${ofTenant('m')} AND m.sequence_id = $2 AND m.state IN ('planned', 'deferred')`,
);

// Includes answers that a person has written; only few messages wait at a time.
const CANCEL = statement(
  'enrollment-progress.cancel',
  `UPDATE outreach.messages m SET state = 'cancelled', due_at = NULL, ended_at = clock_timestamp()
   WHERE ${ofTenant('m')} AND m.due_at IS NOT NULL AND m.state IN ('planned', 'deferred') AND ${ofContacts('m.to_address')}
     AND ($4::text IS NULL OR m.sequence_id = $4)`,
);

const LOCK_ACTIVE = statement(
  'enrollment-progress.lockActive',
  `SELECT s.id FROM outreach.sequences s WHERE ${ofTenant('s')} AND s.id = $2 AND s.status = 'active' FOR NO KEY UPDATE`,
).prepared();

const COMPLETE = statement(
  'enrollment-progress.complete',
  `UPDATE outreach.sequences s SET status = 'completed', approval_id = NULL
   WHERE ${ofTenant('s')} AND s.id = $2 AND s.status = 'active'
     AND NOT EXISTS (SELECT FROM outreach.enrollments e
       WHERE e.org_id = s.org_id AND e.mode = s.mode AND e.sequence_id = s.id AND e.ended_at IS NULL)
     AND NOT EXISTS (SELECT FROM outreach.messages m
       WHERE m.org_id = s.org_id AND m.mode = s.mode AND m.sequence_id = s.id
         AND m.state IN ('planned', 'claimed', 'sending', 'deferred'))`,
).prepared();

const LOCK = statement(
  'enrollment-progress.lock',
  `SELECT s.id FROM outreach.sequences s WHERE ${ofTenant('s')} AND s.id = $2 FOR NO KEY UPDATE`,
).prepared();

const ADVANCE = statement(
  'enrollment-progress.advance',
  `UPDATE outreach.enrollments e SET step = greatest(e.step, $3::integer + 1),
     reason = CASE WHEN e.status = 'active' THEN NULL ELSE e.reason END,
     next_at = CASE WHEN e.status = 'active' AND $3::integer + 1 < s.step_count
       THEN now() + make_interval(days => (s.definition->'steps'->($3::integer + 1)->>'delay_days')::integer) END,
     status = CASE WHEN e.status = 'active' AND $3::integer + 1 >= s.step_count THEN 'finished' ELSE e.status END,
     ended_at = CASE WHEN e.status = 'active' AND $3::integer + 1 >= s.step_count THEN clock_timestamp() ELSE e.ended_at END
   FROM outreach.sequences s
   WHERE ${ofTenant('e')} AND e.id = $2 AND s.org_id = e.org_id AND s.mode = e.mode AND s.id = e.sequence_id
   RETURNING e.ended_at IS NOT NULL AS has_ended`,
)
  .prepared()
  .rows<{ has_ended: boolean }>();

const END = statement(
  'enrollment-progress.end',
  `
  WITH cancelled AS (
    UPDATE outreach.messages m SET state = 'cancelled', due_at = NULL, ended_at = clock_timestamp()
    WHERE ${ofTenant('m')} AND m.enrollment_id = $2 AND m.state IN ('planned', 'deferred'))
  UPDATE outreach.enrollments e SET status = $3, reason = $4, next_at = NULL, ended_at = clock_timestamp()
  WHERE ${ofTenant('e')} AND e.id = $2 AND e.ended_at IS NULL`,
);

const HOLD = statement(
  'enrollment-progress.hold',
  `UPDATE outreach.enrollments e SET next_at = NULL, reason = 'unknown_delivery'
   WHERE ${ofTenant('e')} AND e.id = $2 AND e.status = 'active'`,
);
