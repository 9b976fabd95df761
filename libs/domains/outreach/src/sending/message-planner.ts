import { Injectable } from '@nestjs/common';
import { workCtx } from '@quarry/durable-work';
import { newId } from '@quarry/app';
import { Database, ofTenant, TENANT, tenantOf, type TxCtx } from '@quarry/postgres';
import { startedOnDay } from '../mailboxes/mailbox-day.sql.js';
import { OutreachSettings } from '../outreach-settings.js';
import { renderMessage, TemplateError } from '../sequences/message-template.js';
import { statement } from '../statements.types.js';
import { isSuppressed } from '../suppressions/suppression.store.js';
import { EnrollmentProgress } from '../enrollments/enrollment-progress.js';
import { OUTREACH_SEND, type SendingMailbox } from './sending-lease.store.js';
import { withUnsubscribeFooter } from '../sequences/unsubscribe-footer.js';

/** The most message ids in References. */
const REFERENCES_MAX = 20;

interface Step {
  subject: string | null;
  body: string;
}

/** An enrollment whose next message may be written now. */
type DueEnrollment = (typeof NEXT)['types']['row'];

/** Reason why an enrollment ends instead of getting its next message. */
interface EnrollmentEnd {
  status: 'stopped' | 'failed';
  reason: 'suppressed' | 'template_error';
}

const SUPPRESSED: EnrollmentEnd = { status: 'stopped', reason: 'suppressed' };

/** Writes the messages of due enrollments one at a time, just before they are sent. */
@Injectable()
export class MessagePlanner {
  constructor(
    private readonly database: Database,
    private readonly settings: OutreachSettings,
    private readonly progress: EnrollmentProgress,
  ) {}

  /**
   * Writes the next message of a mailbox. Messages that were planned under an earlier approval are written again, because their
   * text is outdated.
   */
  async planNext(lease: SendingMailbox): Promise<boolean> {
    const ctx = workCtx(OUTREACH_SEND, lease);
    const planned = await this.database.transaction(ctx, async (tx) => {
      const due = await this.database.queryOne(tx, NEXT, [tenantOf(tx), lease.id, lease.token]);
      return due && { due, end: due.is_suppressed ? SUPPRESSED : await this.planMessage(tx, lease, due) };
    });
    if (!planned) return false;
    const { due, end } = planned;
    // In another transaction, because this one has locked the enrollment, and its sequence is locked first (EnrollmentProgress).
    if (end)
      await this.progress.lockSequence(ctx, due.sequence_id, (tx) =>
        this.progress.endEnrollment(tx, due.id, end.status, end.reason),
      );
    return true;
  }

  /** @returns the end of the enrollment when its message cannot be written; null when it was written */
  private async planMessage(
    tx: TxCtx,
    lease: SendingMailbox,
    due: DueEnrollment,
  ): Promise<EnrollmentEnd | null> {
    let text: { subject: string | null; text: string };
    try {
      text = renderMessage(due.content, due.variables);
    } catch (error) {
      if (error instanceof TemplateError) return { status: 'failed', reason: 'template_error' };
      throw error;
    }
    const { thread_id: known, first_subject: first } = due;
    const subject = text.subject ?? (first === null || /^re:/i.test(first) ? (first ?? '') : `Re: ${first}`);
    const threadId = known ?? (await this.beginThread(tx, lease, due, subject));
    const messageId = newId('msg');
    await this.database.query(tx, WRITE, [
      tenantOf(tx),
      messageId,
      threadId,
      lease.id,
      due.id,
      `${messageId}@${lease.address.slice(lease.address.lastIndexOf('@') + 1)}`,
      due.earlier.at(-1) ?? null,
      due.earlier.slice(-REFERENCES_MAX),
      lease.address,
      subject,
      withUnsubscribeFooter(text.text, this.settings.unsubscribeUrl(due.unsubscribe_token)),
    ]);
    return null;
  }

  private async beginThread(
    tx: TxCtx,
    lease: SendingMailbox,
    { id, variables }: DueEnrollment,
    subject: string,
  ): Promise<string> {
    const threadId = newId('thr');
    const params = [tenantOf(tx), threadId, lease.id, id, nameOf(variables), subject] as const;
    await this.database.query(tx, BEGIN_THREAD, params);
    return threadId;
  }
}

/** @returns the name of a contact, if the row has one */
function nameOf(variables: Record<string, unknown>): string | null {
  const text = (key: string): string => (typeof variables[key] === 'string' ? variables[key].trim() : '');
  const name = text('full_name') || text('name') || `${text('first_name')} ${text('last_name')}`.trim();
  return name === '' ? null : name.slice(0, 200);
}

/**
 * Returns the condition that the sequence `s` may send to the enrollment `e` at a time: it is active and approved, its window is
 * open, and its daily limit is not reached.
 */
export function maySendStep(at = 'now()'): string {
  return `s.status = 'active' AND s.approval_id IS NOT NULL AND e.status = 'active' AND e.approval_id = s.approval_id
    AND outreach.is_window_open(${at}, coalesce(e.time_zone, s.time_zone), s.window_days, s.window_from, s.window_to)
    AND (s.daily_limit IS NULL OR ${startedOnDay('s', at)} < s.daily_limit)`;
}

/** Returns the condition that a mailbox has read all answers of the test-mode sink, which answers within moments. */
const isSinkRead = (mailbox: string): string => `NOT EXISTS (SELECT FROM outreach.sink_mails k
  WHERE k.org_id = ${mailbox}.org_id AND k.mode = ${mailbox}.mode AND k.mailbox_id = ${mailbox}.id
    AND k.uid >= coalesce((${mailbox}.read_state -> 'sink' ->> 'uidnext')::bigint, 0))`;

const NEXT = statement(
  'message-planner.next',
  `
  SELECT e.id, e.email, e.variables, e.unsubscribe_token, e.sequence_id, e.thread_id, s.definition->'steps'->e.step AS content,
    ${isSuppressed('e', 'email')} AS is_suppressed,
    (SELECT t.subject FROM outreach.threads t WHERE t.org_id = e.org_id AND t.mode = e.mode AND t.id = e.thread_id) AS first_subject,
    ARRAY(SELECT p.rfc_message_id FROM outreach.messages p
      WHERE p.org_id = e.org_id AND p.mode = e.mode AND p.enrollment_id = e.id AND p.direction = 'out' AND p.state = 'sent'
      ORDER BY p.step) AS earlier
  FROM outreach.enrollments e JOIN outreach.sequences s ON s.org_id = e.org_id AND s.mode = e.mode AND s.id = e.sequence_id
  JOIN outreach.approvals a ON a.org_id = s.org_id AND a.mode = s.mode AND a.id = s.approval_id
  WHERE ${ofTenant('e')} AND e.mailbox_id = $2 AND e.next_at <= now() AND e.step < s.step_count AND ${maySendStep()}
    AND a.status = 'approved' AND a.version = s.version AND a.expires_at > now() AND a.started < a.messages
    AND EXISTS (SELECT FROM outreach.mailboxes b
      WHERE b.org_id = e.org_id AND b.mode = e.mode AND b.id = e.mailbox_id AND b.send_token = $3
        AND (e.step = 0 OR ${isSinkRead('b')}))
    AND NOT EXISTS (SELECT FROM outreach.messages m
      WHERE m.org_id = e.org_id AND m.mode = e.mode AND m.enrollment_id = e.id AND m.step = e.step AND m.direction = 'out'
        AND NOT (m.state IN ('planned', 'deferred') AND m.approval_id <> s.approval_id))
  ORDER BY e.next_at LIMIT 1 FOR UPDATE OF e SKIP LOCKED`,
)
  .prepared()
  .rows<{
    variables: Record<string, unknown>;
    content: Step;
    is_suppressed: boolean;
    first_subject: string | null;
    earlier: string[];
  }>();

const BEGIN_THREAD = statement(
  'message-planner.beginThread',
  `
  WITH begun AS (
    UPDATE outreach.enrollments e SET thread_id = $2 WHERE ${ofTenant('e')} AND e.id = $4 RETURNING e.sequence_id, e.email)
  INSERT INTO outreach.threads (org_id, mode, id, mailbox_id, sequence_id, enrollment_id, contact_email, contact_name, subject)
  SELECT ${TENANT}, $2, $3, begun.sequence_id, $4, begun.email, $5, $6 FROM begun`,
).prepared();

const WRITE = statement(
  'message-planner.write',
  `
  WITH named AS (
    UPDATE outreach.threads t SET subject = $10 FROM outreach.enrollments e
    WHERE ${ofTenant('t')} AND t.id = $3 AND ${ofTenant('e')} AND e.id = $5 AND e.step = 0)
  INSERT INTO outreach.messages AS m (org_id, mode, id, thread_id, mailbox_id, direction, sequence_id, enrollment_id, step, approval_id,
    state, rfc_message_id, in_reply_to, reference_ids, from_address, to_address, subject, body_text, due_at)
  SELECT ${TENANT}, $2, $3, $4, 'out', e.sequence_id, e.id, e.step, e.approval_id, 'planned', $6, $7, $8::text[], $9, e.email, $10,
    $11, now()
  FROM outreach.enrollments e WHERE ${ofTenant('e')} AND e.id = $5
  ON CONFLICT (org_id, mode, enrollment_id, step) WHERE direction = 'out' AND enrollment_id IS NOT NULL DO UPDATE
  SET approval_id = EXCLUDED.approval_id, mailbox_id = EXCLUDED.mailbox_id, in_reply_to = EXCLUDED.in_reply_to,
    reference_ids = EXCLUDED.reference_ids, from_address = EXCLUDED.from_address, subject = EXCLUDED.subject,
    body_text = EXCLUDED.body_text
  WHERE m.state IN ('planned', 'deferred')`,
).prepared();
