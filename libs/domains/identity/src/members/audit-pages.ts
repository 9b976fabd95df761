import { Injectable } from '@nestjs/common';
import type { AuditItem, ListOf } from '@quarry/dto';
import { CursorSigner, type Ctx, type PageQuery } from '@quarry/app';
import { Database, isoTime, tenantOf } from '@quarry/postgres';
import { statement } from '../statements.types.js';

/** Reads the audit log of an organisation page by page, newest events first. */
@Injectable()
export class AuditPages {
  constructor(
    private readonly db: Database,
    private readonly cursors: CursorSigner,
  ) {}

  /** @throws AppError invalid_cursor */
  async listAudit(ctx: Ctx, page: PageQuery): Promise<ListOf<AuditItem>> {
    const binding = { tenant: tenantOf(ctx), endpoint: 'identity.audit', subject: ctx.orgId };
    const { rows, next } = await this.cursors.readPage(
      binding,
      page,
      (before, limit) => this.db.query(ctx, LIST, [ctx.orgId, before, limit], 'list'),
      ({ number }) => number,
    );
    return { items: rows.map(itemOf), next_cursor: next };
  }
}

function itemOf({ number, actor_kind, actor_id, email, ...row }: (typeof LIST)['types']['row']): AuditItem {
  return { number: Number(number), actor: { kind: actor_kind, id: actor_id, email }, ...row };
}

// A user's actions in the web application use an internal key, so the user is shown instead.
const LIST = statement(
  'audit-pages.list',
  `
  SELECT e.number, ${isoTime('e.at')} AS at,
    CASE WHEN k.kind = 'app' THEN 'user' ELSE e.actor_kind END AS actor_kind,
    CASE WHEN k.kind = 'app' THEN k.user_id ELSE e.actor_id END AS actor_id,
    u.email, e.mode, e.action, e.object, e.address, e.request_id, e.facts
  FROM identity.audit_events e
  LEFT JOIN identity.api_keys k ON k.id = e.actor_id AND k.org_id = e.org_id
  LEFT JOIN identity.users u ON u.id = k.user_id
  WHERE e.org_id = $1 AND ($2::bigint IS NULL OR e.number < $2)
  ORDER BY e.number DESC LIMIT $3`,
).rows<{
  number: string;
  at: string;
  actor_kind: AuditItem['actor']['kind'];
  mode: AuditItem['mode'];
  action: string;
  object: string;
  request_id: string;
  facts: AuditItem['facts'];
}>();
