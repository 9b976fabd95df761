import { Injectable } from '@nestjs/common';
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

/** Ends enrollments, and completes a sequence with its last one. */
@Injectable()
export class EnrollmentEnds {
  constructor(private readonly database: Database) {}

  /**
   * Ends the waiting and active enrollments of contacts, cancels their planned messages, and completes sequences without further
   * contacts. For a finished enrollment it records what followed the last message: an answer, a bounce, an unsubscription. It
   * locks the sequences first, in the order of their ids, like marking a message does; these locks also serialise the numbers of
   * events.
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
    const ended = await this.database.query(tx, END, [...whose, status, reason]);
    if (status !== 'stopped') await this.database.query(tx, NOTE, [...whose, status, reason]);
    await this.database.query(tx, CANCEL, whose);
    for (const { id } of sequences) await this.completeIfDone(tx, id);
    return ended.length;
  }

  /** Ends the waiting and active enrollments of a sequence that the caller has locked, and cancels its planned messages. */
  async endAll(tx: TxCtx, sequenceId: string, status: 'stopped', reason: string): Promise<void> {
    await this.database.query(tx, END_ALL, [tenantOf(tx), sequenceId, status, reason]);
    await this.database.query(tx, CANCEL_ALL, [tenantOf(tx), sequenceId]);
  }

  /**
   * Completes an active sequence when every enrollment has ended and no message waits. Must be called in the transaction that
   * ends an enrollment.
   * @returns whether this call completed it
   */
  async completeIfDone(tx: TxCtx, sequenceId: string): Promise<boolean> {
    const params = [tenantOf(tx), sequenceId] as const;
    // With two concurrent ends of the last two enrollments, the second one sees the result of the first.
    if (!(await this.database.queryOne(tx, LOCK_ACTIVE, params))) return false;
    return (await this.database.queryOne(tx, COMPLETE, params)) !== null;
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
  'enrollment-ends.lockSequences',
  `SELECT s.id FROM outreach.sequences s
   WHERE ${ofTenant('s')} AND s.id IN (SELECT e.sequence_id FROM outreach.enrollments e
     WHERE ${OF_CONTACTS} AND (e.ended_at IS NULL OR e.status = 'finished'))
   ORDER BY s.id FOR NO KEY UPDATE`,
);

const END = statement(
  'enrollment-ends.end',
  `UPDATE outreach.enrollments e SET status = $5, reason = $6, next_at = NULL, ended_at = clock_timestamp()
   WHERE ${OF_CONTACTS} AND e.ended_at IS NULL RETURNING 1`,
);

const NOTE = statement(
  'enrollment-ends.note',
  `UPDATE outreach.enrollments e SET status = $5, reason = $6, ended_at = clock_timestamp()
   WHERE ${OF_CONTACTS} AND e.status = 'finished'`,
);

const END_ALL = statement(
  'enrollment-ends.endAll',
  `UPDATE outreach.enrollments e SET status = $3, reason = $4, next_at = NULL, ended_at = clock_timestamp()
   WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND e.ended_at IS NULL`,
);

const CANCEL_ALL = statement(
  'enrollment-ends.cancelAll',
  `UPDATE outreach.messages m SET state = 'cancelled', due_at = NULL, ended_at = clock_timestamp()
   WHERE ${ofTenant('m')} AND m.sequence_id = $2 AND m.state IN ('planned', 'deferred')`,
);

// Includes answers that a person has written; only few messages wait at a time.
const CANCEL = statement(
  'enrollment-ends.cancel',
  `UPDATE outreach.messages m SET state = 'cancelled', due_at = NULL, ended_at = clock_timestamp()
   WHERE ${ofTenant('m')} AND m.due_at IS NOT NULL AND m.state IN ('planned', 'deferred') AND ${ofContacts('m.to_address')}
     AND ($4::text IS NULL OR m.sequence_id = $4)`,
);

const LOCK_ACTIVE = statement(
  'enrollment-ends.lockActive',
  `SELECT s.id FROM outreach.sequences s WHERE ${ofTenant('s')} AND s.id = $2 AND s.status = 'active' FOR NO KEY UPDATE`,
).prepared();

const COMPLETE = statement(
  'enrollment-ends.complete',
  `UPDATE outreach.sequences s SET status = 'completed', approval_id = NULL
   WHERE ${ofTenant('s')} AND s.id = $2 AND s.status = 'active'
     AND NOT EXISTS (SELECT FROM outreach.enrollments e
       WHERE e.org_id = s.org_id AND e.mode = s.mode AND e.sequence_id = s.id AND e.ended_at IS NULL)
     AND NOT EXISTS (SELECT FROM outreach.messages m
       WHERE m.org_id = s.org_id AND m.mode = s.mode AND m.sequence_id = s.id
         AND m.state IN ('planned', 'claimed', 'sending', 'deferred'))
   RETURNING s.id`,
).prepared();
