import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  ApprovalPage,
  cursorPageText,
  FAULTS_SHOWN_MAX,
  faultsError,
  fieldError,
  type Actor,
  type Approval,
  type ApprovalDetails,
  type DecideApprovalRequest,
  type Fault,
  type JsonText,
  type Sequence,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { CursorSigner, newId, requireId, notFound, type Ctx, type PageQuery } from '@quarry/app';
import {
  Database,
  ofTenant,
  TENANT,
  tenantOf,
  type AuditAction,
  recordAudit,
  type TxCtx,
} from '@quarry/postgres';
import { LISTS, PLACE, partsOf, placeOf } from '../list-cursor.js';
import { SequenceAudience } from '../sequences/sequence-audience.js';
import { EnrollmentProgress } from '../enrollments/enrollment-progress.js';
import { approvalJson } from '../sequences/sequence-json.sql.js';
import { faultSentence, messagesOf } from '../sequences/sequence-messages.js';
import { SequencePreviewer } from '../sequences/sequence-preview.js';
import { SequenceStore, type KnownSequence } from '../sequences/sequence.store.js';
import { PENDING_DAYS } from '../pending-days.js';
import { statement } from '../statements.types.js';
import { DRAFT_JSON } from '../threads/draft-json.sql.js';

/** Contacts whose messages are rendered between two turns of the event loop. */
const PAGE_CONTACTS = 500;
const RECIPIENTS_SHOWN = 1000;
/** An approval is valid for the delays of its sequence and this long beyond, because limits and windows delay messages. */
const GRACE_DAYS = 90;

/** Stores requests for approval, and the decisions on them. */
@Injectable()
export class ApprovalStore {
  constructor(
    private readonly database: Database,
    private readonly cursors: CursorSigner,
    private readonly sequences: SequenceStore,
    private readonly previewer: SequencePreviewer,
    private readonly audience: SequenceAudience,
    private readonly progress: EnrollmentProgress,
  ) {}

  /**
   * Requests approval of exactly what a preview has shown. While a request is pending, the same call returns it.
   * @throws AppError not_found; version_conflict when text, people or mailboxes have changed since; invalid_request for a
   * sequence without contacts, for one that is active or has ended, and naming the rows whose messages lack a variable
   */
  async requestApproval(ctx: Ctx, sequenceId: string, digest: string): Promise<JsonText<typeof Approval>> {
    return this.database.transaction(ctx, async (tx) => {
      const sequence = await this.sequences.lockSequence(tx, sequenceId);
      const now = await this.audience.measureAudience(tx, sequence);
      if (now.digest !== digest)
        throw new AppError(
          'version_conflict',
          'The text, the people or the mailboxes have changed since the preview. Preview the sequence again.',
        );
      const standing = await this.database.queryOne(tx, STANDING, [tenantOf(tx), sequence.id, digest]);
      if (standing) return standing.json;
      if (!['draft', 'approved', 'paused'].includes(sequence.status))
        throw fieldError([], `a sequence that is ${sequence.status} needs no approval`);
      if (now.messages === 0) throw fieldError([], 'the sequence has no contacts: enrol people first');
      await this.requireRendered(tx, sequence);
      await this.database.query(tx, REPLACE, [tenantOf(tx), sequence.id]);
      const { people, messages } = now;
      const row = await this.database.queryOne(tx, INSERT, [
        tenantOf(tx),
        newId('apr'),
        sequence.id,
        sequence.version,
        digest,
        people,
        messages,
        summaryOf(sequence, now),
        tx.keyId,
        PENDING_DAYS,
      ]);
      return row!.json;
    });
  }

  /** Returns one page of approvals, pending and decided, newest first. @throws AppError invalid_cursor */
  async listApprovals(ctx: Ctx, page: PageQuery): Promise<JsonText<typeof ApprovalPage>> {
    const binding = { tenant: tenantOf(ctx), endpoint: LISTS.approvals, subject: '' };
    const read = (after: string | null, limit: number) =>
      this.database.query(ctx, LIST, [tenantOf(ctx), ...partsOf(after), limit], 'list');
    const { rows, next } = await this.cursors.readPage(binding, page, read, placeOf);
    const items = rows.map(({ json }) => json);
    return cursorPageText(ApprovalPage, items, next);
  }

  /** @returns what an approval covers; the preview only while the approval can still be given or used @throws AppError not_found */
  async readApproval(ctx: Ctx, approvalId: string): Promise<JsonText<typeof ApprovalDetails>> {
    const id = requireId('apr', approvalId);
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), id]);
    if (!row) throw notFound('apr');
    const { json, sequence_id: sequenceId, status, draft, to_address: to, thread_id: threadId } = row;
    const isOpen = status === 'pending' || status === 'approved';
    const preview =
      sequenceId !== null && isOpen ? await this.previewer.previewSequence(ctx, sequenceId, {}) : 'null';
    const recipients =
      sequenceId === null
        ? [to].flatMap((address) => address ?? [])
        : await this.audience.readAddresses(ctx, sequenceId, RECIPIENTS_SHOWN);
    const people = JSON.stringify(recipients);
    const thread = JSON.stringify(threadId);
    return `{"approval":${json},"preview":${preview},"draft":${draft ?? 'null'},"thread_id":${thread},"recipients":${people}}` as JsonText<
      typeof ApprovalDetails
    >;
  }

  /**
   * Decides as a user who has seen the content of the digest. The same decision again returns the same answer.
   * @throws AppError not_found; version_conflict when the approval is of other content, or cannot be decided any more
   */
  async decideApproval(
    ctx: Ctx,
    actor: Actor,
    approvalId: string,
    { decision, digest }: DecideApprovalRequest,
  ): Promise<JsonText<typeof Approval>> {
    const id = requireId('apr', approvalId);
    return this.database.transaction(ctx, async (tx) => {
      const found = await this.database.queryOne(tx, READ, [tenantOf(tx), id]);
      if (!found) throw notFound('apr');
      const sequence =
        found.sequence_id === null ? null : await this.sequences.lockSequence(tx, found.sequence_id);
      const approval = await this.database.queryOne(tx, LOCK, [tenantOf(tx), id]);
      if (!approval) throw notFound('apr');
      if (approval.digest !== digest)
        throw new AppError(
          'version_conflict',
          'The digest is not that of this approval. Read the approval again.',
        );
      const wanted = decision === 'approve' ? 'approved' : 'rejected';
      if (approval.status === wanted && !approval.is_expired) return approval.json;
      if (approval.status !== 'pending' || approval.is_expired)
        throw new AppError('version_conflict', 'The approval is no longer pending. Ask for a new one.');
      const days = sequence ? daysOf(sequence) : PENDING_DAYS;
      const params = [tenantOf(tx), id, wanted, actor.userId, days] as const;
      const row = await this.database.queryOne(tx, DECIDE, params);
      if (sequence && decision === 'approve')
        await this.database.query(tx, APPROVE_SEQUENCE, [tenantOf(tx), sequence.id, id]);
      const action: AuditAction = `${sequence ? 'sequence' : 'draft'}.${wanted}`;
      const facts = { approval: id, user: actor.userId };
      await recordAudit(this.database, tx, {
        action,
        object: approval.sequence_id ?? approval.draft_id!,
        facts,
      });
      return row!.json;
    });
  }

  /**
   * Starts a sequence under its approval: distributes contacts over its mailboxes, and plans the first message of each after the
   * delay of the first step. Idempotent.
   * @throws AppError not_found; approval_required without an approval of the current content; invalid_request without a mailbox
   */
  async activateSequence(
    ctx: Ctx,
    sequenceId: string,
    approvalId: string,
  ): Promise<JsonText<typeof Sequence>> {
    await this.database.transaction(ctx, async (tx) => {
      const sequence = await this.sequences.lockSequence(tx, sequenceId);
      const holding = await this.database.queryOne(tx, HOLDING, [tenantOf(tx), sequence.id, approvalId]);
      if (!holding || !['approved', 'active'].includes(sequence.status))
        throw new AppError(
          'approval_required',
          'This approval does not cover this version and these people. Preview the sequence, and ask a person to approve it.',
        );
      if (sequence.status === 'active') return;
      const params = [tenantOf(tx), sequence.id] as const;
      const mailboxes = (await this.database.query(tx, MAILBOXES, params)).map(({ id }) => id);
      if (mailboxes.length === 0) throw fieldError([], 'the sequence no longer has a mailbox');
      await this.database.query(tx, FORGET_CANCELLED, params);
      await this.assignMailboxes(tx, sequence.id, mailboxes);
      await this.database.query(tx, START, [...params, approvalId]);
      await this.database.query(tx, FINISH_SHORTENED, params);
      await this.database.query(tx, ACTIVATE, params);
      await this.progress.completeIfDone(tx, sequence.id);
      const facts = { approval: approvalId };
      await recordAudit(this.database, tx, { action: 'sequence.activated', object: sequence.id, facts });
    });
    return this.sequences.readSequence(ctx, sequenceId);
  }

  /** Assigns mailboxes in turn to contacts that have none. */
  private async assignMailboxes(tx: TxCtx, sequenceId: string, mailboxes: readonly string[]): Promise<void> {
    const found = await this.database.query(tx, WITHOUT_MAILBOX, [tenantOf(tx), sequenceId, mailboxes]);
    for (const [i, mailbox] of mailboxes.entries()) {
      const ids = found.filter((_, n) => n % mailboxes.length === i).map(({ id }) => id);
      await this.database.query(tx, SPREAD, [tenantOf(tx), sequenceId, mailbox, ids]);
    }
  }

  /** Renders every message of every contact. @throws AppError invalid_request naming the rows whose messages cannot be rendered */
  private async requireRendered(tx: TxCtx, { id, definition }: KnownSequence): Promise<void> {
    const faults: Fault[] = [];
    for (let after: string | null = null; faults.length <= FAULTS_SHOWN_MAX;) {
      const page = await this.audience.readContacts(tx, id, { after, limit: PAGE_CONTACTS, ids: null });
      for (const contact of page) {
        for (const { step, fault: wrong } of messagesOf(definition, contact))
          if (wrong)
            faults.push({
              path: ['steps', step, wrong.part],
              message: `${contact.rowId ?? contact.id}: ${faultSentence(wrong)}`,
            });
        await nextTurn();
      }
      if (page.length < PAGE_CONTACTS) break;
      after = page.at(-1)!.id;
    }
    if (faults.length > 0) throw faultsError('resources', faults);
  }
}

function daysOf({ definition: { steps } }: KnownSequence): number {
  return steps.reduce((sum, step) => sum + step.delay_days, GRACE_DAYS);
}

function summaryOf(
  { name, definition }: KnownSequence,
  { people, messages }: { people: number; messages: number },
): string {
  const count = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
  const boxes = count(definition.mailbox_ids.length, 'mailbox', 'mailboxes');
  return `${name}: ${count(messages, 'message', 'messages')} at most to ${count(people, 'person', 'people')} from ${boxes}`;
}

const JSON_OF = `${approvalJson('a')}::text AS json`;

const STANDING = statement(
  'approval.standing',
  `SELECT ${JSON_OF} FROM outreach.approvals a
   WHERE ${ofTenant('a')} AND a.sequence_id = $2 AND a.digest = $3 AND a.status IN ('pending', 'approved')
     AND a.expires_at > clock_timestamp()
   ORDER BY a.requested_at DESC, a.id DESC LIMIT 1`,
).rows<{ json: JsonText<typeof Approval> }>();

/** A sequence has at most one open request. */
const REPLACE = statement(
  'approval.replace',
  `UPDATE outreach.approvals a SET status = 'void' WHERE ${ofTenant('a')} AND a.sequence_id = $2 AND a.status = 'pending'`,
);

const INSERT = statement(
  'approval.insert',
  `INSERT INTO outreach.approvals AS a (org_id, mode, id, kind, sequence_id, version, digest, audience, messages, summary,
     requested_by, expires_at)
   VALUES (${TENANT}, $2, 'sequence', $3, $4, $5, $6, $7, $8, $9, clock_timestamp() + make_interval(days => $10)) RETURNING ${JSON_OF}`,
).rows<{ json: JsonText<typeof Approval> }>();

const LIST = statement(
  'approval.list',
  `SELECT ${JSON_OF}, ${PLACE('a.requested_at', 'a.id')} FROM outreach.approvals a
   WHERE ${ofTenant('a')} AND ($2::timestamptz IS NULL OR (a.requested_at, a.id) < ($2, $3::text))
   ORDER BY a.requested_at DESC, a.id DESC LIMIT $4`,
).rows<{ json: JsonText<typeof Approval>; place: string }>();

const READ = statement(
  'approval.read',
  `SELECT ${JSON_OF}, a.sequence_id, a.status, d.to_address, d.thread_id, ${DRAFT_JSON}::text AS draft FROM outreach.approvals a
   LEFT JOIN outreach.drafts d ON d.org_id = a.org_id AND d.mode = a.mode AND d.id = a.draft_id
   WHERE ${ofTenant('a')} AND a.id = $2`,
).rows<{ json: JsonText<typeof Approval> }>();

const LOCK = statement(
  'approval.lock',
  `SELECT ${JSON_OF}, a.digest, a.status, a.sequence_id, a.draft_id, a.expires_at <= clock_timestamp() AS is_expired
   FROM outreach.approvals a WHERE ${ofTenant('a')} AND a.id = $2 FOR UPDATE`,
).rows<{ json: JsonText<typeof Approval>; is_expired: boolean }>();

const DECIDE = statement(
  'approval.decide',
  `UPDATE outreach.approvals a SET status = $3, decided_by = $4, decided_at = clock_timestamp(),
     expires_at = CASE WHEN $3 = 'approved' THEN clock_timestamp() + make_interval(days => $5) ELSE a.expires_at END
   WHERE ${ofTenant('a')} AND a.id = $2 RETURNING ${JSON_OF}`,
).rows<{ json: JsonText<typeof Approval> }>();

const APPROVE_SEQUENCE = statement(
  'approval.approveSequence',
  `UPDATE outreach.sequences s SET status = 'approved', approval_id = $3 WHERE ${ofTenant('s')} AND s.id = $2`,
);

const HOLDING = statement(
  'approval.holding',
  `SELECT a.id FROM outreach.approvals a JOIN outreach.sequences s
     ON s.org_id = a.org_id AND s.mode = a.mode AND s.id = a.sequence_id AND s.approval_id = a.id AND s.version = a.version
   WHERE ${ofTenant('a')} AND a.sequence_id = $2 AND a.id = $3 AND a.status = 'approved' AND a.expires_at > clock_timestamp()`,
);

const MAILBOXES = statement(
  'approval.mailboxes',
  `SELECT b.id FROM outreach.sequences s JOIN outreach.mailboxes b
     ON b.org_id = s.org_id AND b.mode = s.mode AND b.id = ANY (s.mailbox_ids) AND b.status <> 'removed'
   WHERE ${ofTenant('s')} AND s.id = $2 ORDER BY array_position(s.mailbox_ids, b.id)`,
);

/** Deletes messages that were cancelled with an earlier approval: they were not sent, and are written again under this one. */
const FORGET_CANCELLED = statement(
  'approval.forgetCancelled',
  `DELETE FROM outreach.messages m USING outreach.enrollments e
   WHERE ${ofTenant('m')} AND m.sequence_id = $2 AND m.state = 'cancelled' AND m.direction = 'out' AND ${ofTenant('e')}
     AND e.id = m.enrollment_id AND e.ended_at IS NULL AND m.step = e.step`,
);

/** Finds enrollments without a mailbox of the sequence. The others keep theirs, so that replies stay in their thread. */
const WITHOUT_MAILBOX = statement(
  'approval.withoutMailbox',
  `SELECT e.id FROM outreach.enrollments e
   WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND e.ended_at IS NULL
     AND (e.mailbox_id IS NULL OR e.mailbox_id <> ALL ($3::text[]))
   ORDER BY e.id`,
);

/** Uses an array instead of a self-join, which without statistics compares every contact with every other one. */
const SPREAD = statement(
  'approval.spread',
  `UPDATE outreach.enrollments e SET mailbox_id = $3
   WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND e.id = ANY ($4::text[])`,
);

const START = statement(
  'approval.start',
  `UPDATE outreach.enrollments e SET status = 'active', approval_id = $3, next_at = CASE
     WHEN e.status = 'waiting' THEN now() + make_interval(days => (s.definition -> 'steps' -> 0 ->> 'delay_days')::integer)
     WHEN e.reason = 'unknown_delivery' THEN NULL
     ELSE coalesce(e.next_at, now()) END
   FROM outreach.sequences s
   WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND e.ended_at IS NULL AND ${ofTenant('s')} AND s.id = $2`,
);

/** Ends enrollments whose remaining steps were removed by a change. */
const FINISH_SHORTENED = statement(
  'approval.finishShortened',
  `UPDATE outreach.enrollments e SET status = 'finished', next_at = NULL, ended_at = clock_timestamp() FROM outreach.sequences s
   WHERE ${ofTenant('e')} AND e.sequence_id = $2 AND e.ended_at IS NULL AND ${ofTenant('s')} AND s.id = $2
     AND e.step >= s.step_count AND e.reason IS DISTINCT FROM 'unknown_delivery'`,
);

const ACTIVATE = statement(
  'approval.activate',
  `UPDATE outreach.sequences s SET status = 'active' WHERE ${ofTenant('s')} AND s.id = $2`,
);
