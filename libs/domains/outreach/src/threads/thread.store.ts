import { Injectable } from '@nestjs/common';
import {
  cursorPageText,
  fieldError,
  ThreadPage,
  type ChangeThreadRequest,
  type JsonText,
  type Thread,
  type ThreadKind,
  type ThreadMessages,
} from '@quarry/dto';
import { CursorSigner, requireId, notFound, type Ctx, type PageQuery } from '@quarry/app';
import { Database, isoTime, ofTenant, tenantOf } from '@quarry/postgres';
import { LISTS, PLACE, partsOf, placeOf } from '../list-cursor.js';
import { statement } from '../statements.types.js';
import { DRAFT_JSON } from './draft-json.sql.js';

/** Conditions on the threads of a list. */
export interface ThreadFilter {
  mailboxId: string | null;
  sequenceId: string | null;
  label: string | null;
  unread: boolean | null;
  kind?: ThreadKind | null;
  query: string | null;
}

/** Conversations with contacts, as the API shows them. */
@Injectable()
export class ThreadStore {
  constructor(
    private readonly database: Database,
    private readonly cursors: CursorSigner,
  ) {}

  /**
   * Returns one page of threads, newest first. In live mode only those with an incoming message; in test mode all, because
   * messages are inspected in the sink's inbox.
   * @throws AppError invalid_cursor
   */
  async listThreads(
    ctx: Ctx,
    { limit, cursor, ...filter }: PageQuery & ThreadFilter,
  ): Promise<JsonText<typeof ThreadPage>> {
    const { mailboxId, sequenceId, label, unread, query, kind = null } = filter;
    const subject = JSON.stringify([
      mailboxId,
      sequenceId,
      label,
      unread,
      query,
      ...(kind === null ? [] : [kind]),
    ]);
    const binding = { tenant: tenantOf(ctx), endpoint: LISTS.threads, subject };
    const like = query === null ? null : `%${query.replace(/[\\%_]/g, '\\$&')}%`;
    const filters = [mailboxId, sequenceId, label, unread, like] as const;
    const read = (after: string | null, rows: number) =>
      this.database.query(ctx, LIST, [tenantOf(ctx), ...partsOf(after), ...filters, rows, kind], 'list');
    const { rows, next } = await this.cursors.readPage(binding, { limit, cursor }, read, placeOf);
    const items = rows.map(({ json }) => json);
    return cursorPageText(ThreadPage, items, next);
  }

  /** @returns a thread with one page of its messages, newest last, and its drafts @throws AppError not_found, invalid_cursor */
  async readThread(
    ctx: Ctx,
    { threadId, ...page }: PageQuery & { threadId: string },
  ): Promise<JsonText<typeof ThreadMessages>> {
    const id = requireId('thr', threadId);
    const thread = await this.database.queryOne(ctx, READ, [tenantOf(ctx), id]);
    if (!thread) throw notFound('thr');
    const binding = { tenant: tenantOf(ctx), endpoint: LISTS.messages, subject: id };
    const read = (after: string | null, limit: number) =>
      this.database.query(ctx, MESSAGES, [tenantOf(ctx), id, ...partsOf(after), limit], 'list');
    const { rows, next } = await this.cursors.readPage(binding, page, read, placeOf);
    const messages = rows.map(({ json }) => json).join(',');
    return `{"thread":${thread.json},"messages":[${messages}],"drafts":${thread.drafts},"next_cursor":${JSON.stringify(next)}}` as JsonText<
      typeof ThreadMessages
    >;
  }

  /**
   * Sets the label of a thread, or marks it as read or unread.
   * @throws AppError not_found, invalid_request for a body with neither
   */
  async changeThread(
    ctx: Ctx,
    threadId: string,
    { label, unread }: ChangeThreadRequest,
  ): Promise<JsonText<typeof Thread>> {
    if (label === undefined && unread === undefined) throw fieldError([], 'label or unread is required');
    const params = [
      tenantOf(ctx),
      requireId('thr', threadId),
      label?.trim() ?? null,
      unread ?? null,
    ] as const;
    const row = await this.database.queryOne(ctx, CHANGE, params);
    if (!row) throw notFound('thr');
    return row.json;
  }
}

const THREAD_JSON = `json_build_object('thread_id', t.id, 'subject', t.subject,
  'contact', json_build_object('email', t.contact_email, 'name', t.contact_name), 'mailbox_id', t.mailbox_id,
  'sequence_id', t.sequence_id, 'last_at', ${isoTime('t.last_at')}, 'kind', t.kind, 'label', t.label, 'unread', t.unread,
  'snippet', t.snippet)::text AS json`;

const LIST = statement(
  'thread.list',
  `SELECT ${THREAD_JSON}, ${PLACE('t.last_at', 't.id')} FROM outreach.threads t
   WHERE ${ofTenant('t')} AND ($2::timestamptz IS NULL OR (t.last_at, t.id) < ($2, $3::text))
     AND (t.mode = 'test' OR t.received_at IS NOT NULL)
     AND ($4::text IS NULL OR t.mailbox_id = $4) AND ($5::text IS NULL OR t.sequence_id = $5)
     AND ($6::text IS NULL OR t.label = $6) AND ($7::boolean IS NULL OR t.unread = $7)
     AND ($10::text IS NULL OR t.kind = $10)
     AND ($8::text IS NULL OR t.subject ILIKE $8 OR t.contact_email ILIKE $8 OR EXISTS (
       SELECT FROM outreach.messages m
       WHERE m.org_id = t.org_id AND m.mode = t.mode AND m.thread_id = t.id AND m.body_text ILIKE $8))
   ORDER BY t.last_at DESC, t.id DESC LIMIT $9`,
).rows<{ json: JsonText<typeof Thread>; place: string }>();

const READ = statement(
  'thread.read',
  `SELECT ${THREAD_JSON}, (
     SELECT coalesce(json_agg(${DRAFT_JSON} ORDER BY d.created_at, d.id), '[]')::text
     FROM outreach.drafts d JOIN outreach.approvals a ON a.org_id = d.org_id AND a.mode = d.mode AND a.id = d.approval_id
     WHERE d.org_id = t.org_id AND d.mode = t.mode AND d.thread_id = t.id) AS drafts
   FROM outreach.threads t WHERE ${ofTenant('t')} AND t.id = $2`,
).rows<{ json: JsonText<typeof Thread>; drafts: string }>();

const MESSAGES = statement(
  'thread.messages',
  `SELECT json_build_object('message_id', m.id, 'direction', m.direction, 'kind', m.kind, 'status', m.state, 'from', m.from_address,
     'to', m.to_address, 'subject', m.subject, 'at', ${isoTime('coalesce(m.ended_at, m.created_at)')}, 'text', m.body_text,
     'html', m.body_html, 'has_more', m.quoted_text IS NOT NULL)::text AS json, ${PLACE('m.created_at', 'm.id')}
   FROM outreach.messages m
   WHERE ${ofTenant('m')} AND m.thread_id = $2 AND ($3::timestamptz IS NULL OR (m.created_at, m.id) > ($3, $4::text))
   ORDER BY m.created_at, m.id LIMIT $5`,
).rows<{ json: string; place: string }>();

const CHANGE = statement(
  'thread.change',
  `UPDATE outreach.threads t SET label = CASE WHEN $3::text IS NULL THEN t.label ELSE nullif($3, '') END,
     unread = coalesce($4, t.unread)
   WHERE ${ofTenant('t')} AND t.id = $2 RETURNING ${THREAD_JSON}`,
).rows<{ json: JsonText<typeof Thread> }>();
