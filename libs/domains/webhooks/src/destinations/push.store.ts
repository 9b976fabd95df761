import { Injectable } from '@nestjs/common';
import {
  cursorPageText,
  DESTINATIONS_RPC,
  jsonText,
  Push,
  PushFailure,
  PushFailurePage,
  PushPage,
  PushPreview,
  type JsonText,
  type PushRequest,
  type ResourceOf,
} from '@quarry/dto';
import { CursorSigner, newId, notFound, type Ctx, type PageQuery } from '@quarry/app';
import { Database, IdempotentRequests, isoTime, ofTenant, recordAudit, tenantOf } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import { WebhookClient } from '../webhook.client.js';
import { TEMPLATES } from './destination-templates.js';
import { DestinationStore, type KnownDestination } from './destination.store.js';
import { isSendable, toOutgoingRow, PushClassifier, type ClassifiedRow } from './push-classifier.js';
import { addressOf } from './vendor-request.js';

const PAYLOADS = 5;
const PREVIEW_ROWS_MAX = 20_000;
const PREVIEW_PAGE = 1000;
const STARS = '********';

/** Numbers of rows by result. */
export type PushCounts = ShownPush['counts'];

/** @returns zero counts */
export function noCounts(): Omit<PushCounts, 'failed'> {
  return { new: 0, changed: 0, unchanged: 0, excluded: 0, without_key: 0, sandbox: 0, duplicate: 0 };
}

/** Pushes in the API: previewed, started and read. */
@Injectable()
export class PushStore {
  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
    private readonly cursors: CursorSigner,
    private readonly destinations: DestinationStore,
    private readonly classifier: PushClassifier,
    private readonly client: WebhookClient,
  ) {}

  /**
   * Shows what a push would do, without sending anything.
   * @throws AppError not_found, table_not_found, invalid_request for a table without what the destination needs
   */
  async previewPush(
    ctx: Ctx,
    destinationId: string,
    body: PushRequest,
  ): Promise<JsonText<typeof PushPreview>> {
    const destination = await this.destinations.findDestination(ctx, destinationId);
    const counts = noCounts();
    const first: ClassifiedRow[] = [];
    const earlier = new Set<string>();
    for (let from = 0; ; from += PREVIEW_PAGE) {
      const page = { from, limit: PREVIEW_PAGE, pushId: null, earlier };
      const { mapping, rowCount, rows } = await this.classifier.classifyPage(
        ctx,
        destination,
        sourceOf(body),
        page,
      );
      for (const row of rows) if (row.verdict !== 'handled') counts[row.verdict] += 1;
      first.push(...rows.filter(isSendable).slice(0, PAYLOADS - first.length));
      const lookedAt = Math.min(from + PREVIEW_PAGE, rowCount);
      if (lookedAt < rowCount && lookedAt < PREVIEW_ROWS_MAX) continue;
      const payloads = first.map((row) => this.payloadOf(destination, row));
      return jsonText(PushPreview, { mapping, row_count: rowCount, looked_at: lookedAt, counts, payloads });
    }
  }

  /**
   * Starts a push. The same key with the same body returns the same one.
   * @throws AppError like {@link previewPush}, idempotency_conflict
   */
  async createPush(
    ctx: Ctx,
    destinationId: string,
    body: PushRequest,
    idempotencyKey: string | null,
  ): Promise<JsonText<typeof Push>> {
    const source = sourceOf(body);
    const route = `${DESTINATIONS_RPC.push.pattern} ${destinationId}`;
    const { id } = await this.requests.inTransaction(
      ctx,
      { route, key: idempotencyKey, body },
      async (tx) => {
        // After the key check: an accepted push is also returned when its table or view has been deleted.
        const destination = await this.destinations.findDestination(tx, destinationId);
        await this.classifier.classifyPage(tx, destination, source, { from: 0, limit: 1, pushId: null });
        const id = newId('psh');
        const counts = JSON.stringify({ ...noCounts(), failed: 0 });
        const params = [tenantOf(tx), destinationId, id, source.tableId, source.viewId, counts] as const;
        if (!(await this.database.queryOne(tx, INSERT, params))) throw notFound('dst');
        const facts = { push: id, table: source.tableId };
        await recordAudit(this.database, tx, { action: 'destination.pushed', object: destinationId, facts });
        return { id };
      },
    );
    return this.readPush(ctx, destinationId, id);
  }

  /** Returns one page of pushes, newest first. @throws AppError not_found, invalid_cursor */
  async listPushes(ctx: Ctx, destinationId: string, page: PageQuery): Promise<JsonText<typeof PushPage>> {
    await this.destinations.findDestination(ctx, destinationId);
    const binding = {
      tenant: tenantOf(ctx),
      endpoint: DESTINATIONS_RPC.listPushes.pattern,
      subject: destinationId,
    };
    const { rows, next } = await this.cursors.readPage(
      binding,
      page,
      (before, limit) =>
        this.database.query(ctx, LIST, [tenantOf(ctx), destinationId, before, limit], 'list'),
      ({ id }) => id,
    );
    const items = rows.map((row) => jsonText(Push, row));
    return cursorPageText(PushPage, items, next);
  }

  /** @throws AppError not_found */
  async readPush(ctx: Ctx, destinationId: string, pushId: string): Promise<JsonText<typeof Push>> {
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), destinationId, pushId], 'read');
    if (!row) throw notFound('psh');
    return jsonText(Push, row);
  }

  /** Returns one page of refused rows, by their ids. @throws AppError not_found, invalid_cursor */
  async listFailures(
    ctx: Ctx,
    { destinationId, pushId }: { destinationId: string; pushId: string },
    page: PageQuery,
  ): Promise<JsonText<typeof PushFailurePage>> {
    await this.readPush(ctx, destinationId, pushId);
    const binding = {
      tenant: tenantOf(ctx),
      endpoint: DESTINATIONS_RPC.listFailures.pattern,
      subject: pushId,
    };
    const { rows, next } = await this.cursors.readPage(
      binding,
      page,
      (after, limit) =>
        this.database.query(ctx, FAILURES, [tenantOf(ctx), destinationId, pushId, after, limit], 'list'),
      (row) => row.row_id,
    );
    const items = rows.map((row) => jsonText(PushFailure, row));
    return cursorPageText(PushFailurePage, items, next);
  }

  /** Returns the request for a single row; only the push itself checks whether it exists at the destination. */
  private payloadOf({ kind, settings }: KnownDestination, row: ClassifiedRow) {
    const template = TEMPLATES[kind];
    const write = (row.vendorId !== null && template.update) || template.create;
    const { method, path, body } = write([toOutgoingRow(row)], settings);
    const base = template.baseUrl === null ? null : this.client.vendorUrl(kind, template.baseUrl);
    const url = addressOf(base, path, template.auth(STARS).query);
    return { row_id: row.row.id, key: row.key!, method, url, body };
  }
}

function sourceOf({ table_id: tableId, view }: PushRequest): { tableId: string; viewId: string | null } {
  return { tableId, viewId: view ?? null };
}

type ShownPush = ResourceOf<JsonText<typeof Push>>;

const SHOWN = `p.id, p.destination_id, p.table_id, p.view_id AS view, p.status, p.reason, p.counts,
  ${isoTime('p.created_at')} AS created_at, ${isoTime('p.ended_at')} AS ended_at`;

/** The lock waits for a deletion of the destination, which otherwise fails the foreign key. */
const INSERT = statement(
  'push.insert',
  `INSERT INTO destinations.pushes (org_id, mode, destination_id, id, table_id, view_id, counts)
   SELECT d.org_id, d.mode, d.id, $3, $4, $5, $6::json FROM destinations.destinations d
   WHERE ${ofTenant('d')} AND d.id = $2 FOR KEY SHARE RETURNING id`,
);

const LIST = statement(
  'push.list',
  `SELECT ${SHOWN} FROM destinations.pushes p
   WHERE ${ofTenant('p')} AND p.destination_id = $2 AND ($3::text IS NULL OR p.id < $3) ORDER BY p.id DESC LIMIT $4`,
).rows<ShownPush>();

const READ = statement(
  'push.read',
  `SELECT ${SHOWN} FROM destinations.pushes p WHERE ${ofTenant('p')} AND p.destination_id = $2 AND p.id = $3`,
).rows<ShownPush>();

const FAILURES = statement(
  'push.failures',
  `SELECT r.row_id, r.reason, ${isoTime('r.at')} AS at FROM destinations.refused_rows r
   WHERE ${ofTenant('r')} AND r.destination_id = $2 AND r.push_id = $3 AND ($4::text IS NULL OR r.row_id > $4)
   ORDER BY r.row_id LIMIT $5`,
).rows<{ row_id: string; reason: string; at: string }>();
