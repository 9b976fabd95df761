import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  DraftSent,
  fieldError,
  jsonText,
  OUTREACH_RPC,
  type CreateDraftRequest,
  type JsonText,
  type MessageDraft,
  type SendDraftRequest,
} from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { canonicalJson, newId, requireId, notFound, type Ctx } from '@quarry/app';
import { Database, IdempotentRequests, ofTenant, TENANT, tenantOf, type TxCtx } from '@quarry/postgres';
import { PENDING_DAYS } from '../pending-days.js';
import { statement } from '../statements.types.js';
import { isSuppressed } from '../suppressions/suppression.store.js';
import { DRAFT_JSON } from './draft-json.sql.js';

/** The most message ids in References. */
const REFERENCES_MAX = 20;

/** @returns SHA-256 of the exact reply that a person approves */
export function draftDigest(draft: {
  threadId: string;
  from: string;
  to: string;
  subject: string;
  text: string;
}): string {
  return createHash('sha256').update(canonicalJson(draft)).digest('hex');
}

/** Replies that a client writes in a thread, each approved by a person before it is sent. */
@Injectable()
export class DraftStore {
  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
  ) {}

  /**
   * Writes a reply to the contact of a thread and requests its approval. The same key with the same body returns the same one.
   * @throws AppError not_found; invalid_request for a suppressed contact or a removed mailbox; idempotency_conflict
   */
  async createDraft(
    ctx: Ctx,
    threadId: string,
    body: CreateDraftRequest,
    idempotencyKey: string | null,
  ): Promise<JsonText<typeof MessageDraft>> {
    const thread = requireId('thr', threadId);
    const route = `${OUTREACH_RPC.createDraft.pattern} ${thread}`;
    const { id } = await this.requests.inTransaction(
      ctx,
      { route, key: idempotencyKey, body },
      async (tx) => {
        const { subject: before, from, to } = await this.threadOf(tx, thread);
        const subject = /^re:/i.test(before) ? before : `Re: ${before}`;
        const text = body.body_text.replace(/\r\n?/g, '\n').trim();
        const digest = draftDigest({ threadId: thread, from, to, subject, text });
        const [id, approvalId] = [newId('drf'), newId('apr')];
        const draft = [tenantOf(tx), id, thread, to, subject, text, digest, approvalId] as const;
        await this.database.query(tx, INSERT, draft);
        const summary = `An answer to ${to}: ${subject}`;
        const approval = [tenantOf(tx), approvalId, id, digest, summary, tx.keyId, PENDING_DAYS] as const;
        await this.database.query(tx, ASK, approval);
        return { id };
      },
    );
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), id]);
    if (!row) throw notFound('drf');
    return row.json;
  }

  /**
   * Sends an approved reply. Repeated, it returns the same message.
   * @throws AppError not_found; approval_required unless this exact reply is approved; invalid_request like {@link createDraft}
   */
  async sendDraft(
    ctx: Ctx,
    draftId: string,
    { digest, approval_id: approvalId }: SendDraftRequest,
  ): Promise<JsonText<typeof DraftSent>> {
    const id = requireId('drf', draftId);
    return this.database.transaction(ctx, async (tx) => {
      const draft = await this.database.queryOne(tx, LOCK, [tenantOf(tx), id]);
      if (!draft) throw notFound('drf');
      const sent = await this.database.queryOne(tx, SENT, [tenantOf(tx), id]);
      const isSame = draft.digest === digest && [undefined, draft.approval_id].includes(approvalId);
      if (!isSame || (!sent && !draft.is_approved))
        throw new AppError(
          'approval_required',
          'No valid approval covers exactly this answer. Ask a person to approve it.',
        );
      if (sent) return jsonText(DraftSent, { message_id: sent.id, status: sent.state });
      const { from } = await this.threadOf(tx, draft.thread_id);
      const messageId = newId('msg');
      const rfcId = `${messageId}@${from.slice(from.lastIndexOf('@') + 1)}`;
      await this.database.query(tx, PLAN, [tenantOf(tx), id, messageId, rfcId, from, REFERENCES_MAX]);
      return jsonText(DraftSent, { message_id: messageId, status: 'planned' });
    });
  }

  private async threadOf(
    tx: TxCtx,
    threadId: string,
  ): Promise<{ subject: string; from: string; to: string }> {
    const row = await this.database.queryOne(tx, THREAD, [tenantOf(tx), threadId]);
    if (!row) throw notFound('thr');
    if (row.is_suppressed)
      throw fieldError([], `nobody may write to ${row.contact_email}: the address is suppressed`);
    if (row.mailbox_status === 'removed') throw fieldError([], 'the mailbox of the thread was removed');
    return { subject: row.subject, from: row.address, to: row.contact_email };
  }
}

/** The lock waits for an erasure of the thread, which otherwise fails the foreign key of a draft. */
const THREAD = statement(
  'draft.thread',
  `SELECT t.subject, t.contact_email, b.address, b.status AS mailbox_status, ${isSuppressed('t', 'contact_email')} AS is_suppressed
   FROM outreach.threads t JOIN outreach.mailboxes b ON b.org_id = t.org_id AND b.mode = t.mode AND b.id = t.mailbox_id
   WHERE ${ofTenant('t')} AND t.id = $2 FOR KEY SHARE OF t`,
).rows<{ is_suppressed: boolean }>();

const INSERT = statement(
  'draft.insert',
  `INSERT INTO outreach.drafts (org_id, mode, id, thread_id, to_address, subject, body_text, digest, approval_id)
   VALUES (${TENANT}, $2, $3, $4, $5, $6, $7, $8)`,
);

const ASK = statement(
  'draft.ask',
  `INSERT INTO outreach.approvals (org_id, mode, id, kind, draft_id, digest, audience, messages, summary, requested_by, expires_at)
   VALUES (${TENANT}, $2, 'draft', $3, $4, 1, 1, $5, $6, clock_timestamp() + make_interval(days => $7))`,
);

const READ = statement(
  'draft.read',
  `SELECT ${DRAFT_JSON}::text AS json FROM outreach.drafts d
   JOIN outreach.approvals a ON a.org_id = d.org_id AND a.mode = d.mode AND a.id = d.approval_id
   WHERE ${ofTenant('d')} AND d.id = $2`,
).rows<{ json: JsonText<typeof MessageDraft> }>();

const LOCK = statement(
  'draft.lock',
  `SELECT d.thread_id, d.digest, d.approval_id,
     a.status = 'approved' AND a.digest = d.digest AND a.expires_at > clock_timestamp() AS is_approved
   FROM outreach.drafts d JOIN outreach.approvals a ON a.org_id = d.org_id AND a.mode = d.mode AND a.id = d.approval_id
   WHERE ${ofTenant('d')} AND d.id = $2 FOR UPDATE OF d`,
).rows<{ is_approved: boolean }>();

const SENT = statement(
  'draft.sent',
  `SELECT m.id, m.state FROM outreach.messages m WHERE ${ofTenant('m')} AND m.draft_id = $2`,
);

/** Answers the latest incoming message, and references the earlier ones, oldest first. */
const PLAN = statement(
  'draft.plan',
  `
  WITH earlier AS (
    SELECT m.rfc_message_id, m.direction, m.created_at, m.id FROM outreach.messages m JOIN outreach.drafts d
      ON d.org_id = m.org_id AND d.mode = m.mode AND d.thread_id = m.thread_id
    WHERE ${ofTenant('d')} AND d.id = $2 AND m.state IN ('sent', 'received', 'unknown')
    ORDER BY m.created_at DESC, m.id DESC LIMIT $6)
  INSERT INTO outreach.messages (org_id, mode, id, thread_id, mailbox_id, direction, draft_id, approval_id, state, rfc_message_id,
    in_reply_to, reference_ids, from_address, to_address, subject, body_text, due_at)
  SELECT d.org_id, d.mode, $3, d.thread_id, t.mailbox_id, 'out', d.id, d.approval_id, 'planned', $4,
    (SELECT p.rfc_message_id FROM earlier p ORDER BY p.direction, p.created_at DESC, p.id DESC LIMIT 1),
    ARRAY(SELECT p.rfc_message_id FROM earlier p ORDER BY p.created_at, p.id), $5, d.to_address, d.subject, d.body_text,
    clock_timestamp()
  FROM outreach.drafts d JOIN outreach.threads t ON t.org_id = d.org_id AND t.mode = d.mode AND t.id = d.thread_id
  WHERE ${ofTenant('d')} AND d.id = $2`,
);
