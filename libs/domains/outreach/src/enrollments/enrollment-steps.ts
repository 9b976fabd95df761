import { Injectable } from '@nestjs/common';
import { ofTenant, tenantOf, Database, type TxCtx } from '@quarry/postgres';
import { EnrollmentEnds } from './enrollment-ends.js';
import { statement } from '../statements.types.js';

/** Moves an enrollment from one message to the next, or to its end. */
@Injectable()
export class EnrollmentSteps {
  constructor(
    private readonly database: Database,
    private readonly ends: EnrollmentEnds,
  ) {}

  /** Locks a sequence before anything else of it is locked, like every end of an enrollment does. */
  async lockSequence(tx: TxCtx, sequenceId: string | null): Promise<void> {
    if (sequenceId !== null) await this.database.query(tx, LOCK, [tenantOf(tx), sequenceId]);
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

  /** Completes an active sequence without further contacts. Must be called once, after all other writes about a message. */
  async completeIfDone(tx: TxCtx, sequenceId: string | null): Promise<void> {
    if (sequenceId !== null) await this.ends.completeIfDone(tx, sequenceId);
  }

  /** Suspends an enrollment because it is unknown whether its message was sent: it waits for an answer, or for a person. */
  async holdEnrollment(tx: TxCtx, enrollmentId: string): Promise<void> {
    await this.database.query(tx, HOLD, [tenantOf(tx), enrollmentId]);
  }
}

const LOCK = statement(
  'enrollment-steps.lock',
  `SELECT s.id FROM outreach.sequences s WHERE ${ofTenant('s')} AND s.id = $2 FOR NO KEY UPDATE`,
).prepared();

const ADVANCE = statement(
  'enrollment-steps.advance',
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
  'enrollment-steps.end',
  `
  WITH cancelled AS (
    UPDATE outreach.messages m SET state = 'cancelled', due_at = NULL, ended_at = clock_timestamp()
    WHERE ${ofTenant('m')} AND m.enrollment_id = $2 AND m.state IN ('planned', 'deferred'))
  UPDATE outreach.enrollments e SET status = $3, reason = $4, next_at = NULL, ended_at = clock_timestamp()
  WHERE ${ofTenant('e')} AND e.id = $2 AND e.ended_at IS NULL`,
);

const HOLD = statement(
  'enrollment-steps.hold',
  `UPDATE outreach.enrollments e SET next_at = NULL, reason = 'unknown_delivery'
   WHERE ${ofTenant('e')} AND e.id = $2 AND e.status = 'active'`,
);
