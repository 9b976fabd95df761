import type { Ctx } from '@quarry/app';
import type { TxCtx } from '../database/transaction.js';
import type { Database } from '../database/database.js';
import { statement } from '../statements.types.js';

/** Audited actions, as `what.done`. docs/retention.md lists them for operators. */
export type AuditAction =
  | 'organisation.created'
  | 'user.created'
  | 'session.opened'
  | 'session.ended'
  | 'password.changed'
  | 'member.invited'
  | 'member.joined'
  | 'member.role_changed'
  | 'member.removed'
  | 'key.created'
  | 'key.secret_replaced'
  | 'key.revoked'
  | 'credits.granted'
  | 'limits.set'
  | 'workspace.archived'
  | 'export.created'
  | 'export.link_created'
  | 'export.read'
  | 'table.deleted'
  | 'table.column_deleted'
  | 'table.read_by_operator'
  | 'exclusions.deleted'
  | 'exclusions.replaced'
  | 'person.erased'
  | 'provider.key_set'
  | 'provider.key_deleted'
  | 'provider.switched'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.secret_rotated'
  | 'webhook.deleted'
  | 'monitor.created'
  | 'monitor.changed'
  | 'monitor.deleted'
  | 'destination.created'
  | 'destination.changed'
  | 'destination.deleted'
  | 'destination.pushed'
  | 'mailbox.connected'
  | 'mailbox.changed'
  | 'mailbox.removed'
  | 'sequence.approved'
  | 'sequence.rejected'
  | 'sequence.activated'
  | 'sequence.paused'
  | 'draft.approved'
  | 'draft.rejected'
  | 'message.resolved'
  | 'suppression.removed';

/** An action to record. Facts are names, counts and amounts, never texts of customers or vendors. */
export interface AuditEntry {
  action: AuditAction;
  /** Id of the object of the action. */
  object: string;
  facts?: Record<string, string | number | boolean | null>;
}

export interface AuditEvent extends AuditEntry {
  number: number;
  at: Date;
  actor: { kind: 'key' | 'operator'; id: string | null };
  mode: Ctx['mode'];
  address: string | null;
  requestId: string;
}

/** Latest event of an organisation, to be recorded where the owner of the database cannot write. */
export interface AuditHead {
  number: number;
  hash: string;
}

export type AuditVerdict =
  | { kind: 'intact'; head: AuditHead | null }
  /** `number`: the first event that does not match the previous one, or the recorded head. */
  | { kind: 'broken'; number: number };

/**
 * Adds an entry to the log of the context's organisation: by its key, or by an operator if there is none. Call it in the
 * transaction of the action, so that both are committed or neither, and as late as possible, because writers of an
 * organisation wait for each other.
 */
export async function recordAudit(
  database: Database,
  ctx: Ctx | TxCtx,
  { action, object, facts = {} }: AuditEntry,
): Promise<void> {
  await database.query(ctx, RECORD, [
    ctx.orgId,
    ctx.keyId === null ? 'operator' : 'key',
    ctx.keyId,
    ctx.mode,
    action,
    object,
    ctx.address ?? null,
    ctx.requestId,
    JSON.stringify(facts),
  ]);
}

/** Audit log of each organisation. It is append-only; the database refuses any other change. */
export class AuditLog {
  constructor(private readonly database: Database) {}

  /** @returns the newest events of the context's organisation, newest first */
  async listEntries(ctx: Ctx, limit: number): Promise<AuditEvent[]> {
    const rows = await this.database.query(ctx, LIST, [ctx.orgId, limit]);
    return rows.map((row) => ({
      number: Number(row.number),
      at: row.at,
      actor: { kind: row.actor_kind, id: row.actor_id },
      mode: row.mode,
      action: row.action,
      object: row.object,
      address: row.address,
      requestId: row.request_id,
      facts: row.facts,
    }));
  }

  /**
   * Recomputes every hash of the context's organisation.
   * @param noted an earlier head, which the log must still contain
   */
  async verifyChain(ctx: Ctx, noted: AuditHead | null = null): Promise<AuditVerdict> {
    return this.database.withOwnConnection(ctx, async (client) => {
      const { rows: broken } = await client.query<typeof BROKEN.types.row>(BROKEN.text, [ctx.orgId]);
      if (broken[0]) return { kind: 'broken', number: Number(broken[0].number) };
      const head = await this.headAt(ctx, null);
      const known = noted === null ? null : await this.headAt(ctx, noted.number);
      if (noted !== null && known?.hash !== noted.hash) return { kind: 'broken', number: noted.number };
      return { kind: 'intact', head };
    });
  }

  private async headAt(ctx: Ctx, number: number | null): Promise<AuditHead | null> {
    const row = await this.database.queryOne(ctx, HEAD_AT, [ctx.orgId, number]);
    return row && { number: Number(row.number), hash: row.hash };
  }
}

/** The first event that is not the next one, or whose hash is not that of its content. */
const BROKEN = statement(
  'audit-log.broken',
  `
  SELECT coalesce(number, 0) AS number FROM (
    SELECT e.number, e.hash, identity.audit_hash(e, lag(e.hash) OVER w) AS expected, row_number() OVER w AS place
    FROM identity.audit_events e WHERE e.org_id = $1 WINDOW w AS (ORDER BY e.number)
  ) AS chain WHERE hash IS DISTINCT FROM expected OR number <> place
  ORDER BY number LIMIT 1`,
).rows<{ number: string }>();

const RECORD = statement(
  'audit-log.record',
  'SELECT identity.record_audit_event($1, $2, $3, $4, $5, $6, $7, $8, $9)',
);

const LIST = statement(
  'audit-log.list',
  `
  SELECT number, at, actor_kind, actor_id, mode, action, object, address, request_id, facts
  FROM identity.audit_events WHERE org_id = $1 ORDER BY number DESC LIMIT $2`,
).rows<Pick<AuditEvent, 'action'> & { facts: NonNullable<AuditEntry['facts']> }>();

const HEAD_AT = statement(
  'audit-log.headAt',
  `
  SELECT number, encode(hash, 'hex') AS hash FROM identity.audit_events
  WHERE org_id = $1 AND ($2::bigint IS NULL OR number = $2) ORDER BY number DESC LIMIT 1`,
).rows<{ hash: string }>();
