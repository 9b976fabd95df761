import { Injectable } from '@nestjs/common';
import {
  cursorPageText,
  fieldError,
  jsonText,
  WEBHOOKS_RPC,
  WebhookDeliveryPage,
  WebhookReplay,
  type JsonText,
  type ReplayWebhookRequest,
  type WebhookDelivery,
} from '@quarry/dto';
import { CursorSigner, notFound, type Ctx, type PageQuery } from '@quarry/app';
import { Database, isoTime, ofTenant, TENANT, tenantOf, type TxCtx } from '@quarry/postgres';
import { statement } from './statements.types.js';

/** Maximum number of events per replay. */
const EVENTS_PER_REPLAY = 10_000;

/** Lists past and pending deliveries of a webhook for the API. */
@Injectable()
export class WebhookDeliveryStore {
  constructor(
    private readonly database: Database,
    private readonly cursors: CursorSigner,
  ) {}

  /** Returns one page of deliveries with their attempts, newest first. @throws AppError not_found, invalid_cursor */
  async listDeliveries(
    ctx: Ctx,
    webhookId: string,
    page: PageQuery,
  ): Promise<JsonText<typeof WebhookDeliveryPage>> {
    await this.statusOf(ctx, webhookId);
    const binding = {
      tenant: tenantOf(ctx),
      endpoint: WEBHOOKS_RPC.listDeliveries.pattern,
      subject: webhookId,
    };
    const { rows, next } = await this.cursors.readPage(
      binding,
      page,
      (before, limit) => this.database.query(ctx, LIST, [tenantOf(ctx), webhookId, before, limit], 'list'),
      ({ id }) => id,
    );
    const items = rows.map(({ json }) => json);
    return cursorPageText(WebhookDeliveryPage, items, next);
  }

  /** Sends a test event to a webhook, even if it is disabled. @throws AppError not_found */
  async sendTest(ctx: Ctx, webhookId: string): Promise<JsonText<typeof WebhookDelivery>> {
    const id = await this.database.transaction(ctx, async (tx) => {
      await this.lockWebhook(tx, webhookId);
      await this.database.query(tx, RECORD_TEST, [tenantOf(tx), webhookId]);
      // The webhook is locked, so the newest test is this one.
      return (await this.database.queryOne(tx, NEWEST_TEST, [tenantOf(tx), webhookId]))!.id;
    });
    return this.readDelivery(ctx, webhookId, id);
  }

  /** Redelivers an event as soon as possible, with a full set of attempts. @throws AppError not_found, invalid_request */
  async redeliverEvent(
    ctx: Ctx,
    webhookId: string,
    deliveryId: string,
  ): Promise<JsonText<typeof WebhookDelivery>> {
    await this.database.transaction(ctx, async (tx) => {
      const status = await this.lockWebhook(tx, webhookId);
      const found = await this.database.queryOne(tx, FIND, [tenantOf(tx), webhookId, deliveryId]);
      if (!found) throw notFound('whd');
      requireActive(status);
      await this.database.query(tx, REDELIVER, [tenantOf(tx), webhookId, deliveryId]);
    });
    return this.readDelivery(ctx, webhookId, deliveryId);
  }

  /**
   * Sends all events of a period that the webhook subscribes to, whether or not they were sent before.
   * @throws AppError not_found, invalid_request
   */
  async replayEvents(
    ctx: Ctx,
    webhookId: string,
    { since, until, only_failed: onlyFailed = false }: ReplayWebhookRequest,
  ): Promise<JsonText<typeof WebhookReplay>> {
    if (until !== undefined && Date.parse(until) < Date.parse(since))
      throw fieldError(['until'], 'must not be before since');
    return this.database.transaction(ctx, async (tx) => {
      requireActive(await this.lockWebhook(tx, webhookId));
      const params = [tenantOf(tx), webhookId, since, until ?? null, onlyFailed, EVENTS_PER_REPLAY] as const;
      const row = await this.database.queryOne(tx, REPLAY, params);
      return jsonText(WebhookReplay, { deliveries: row!.deliveries, next_since: row!.next_since });
    });
  }

  private async readDelivery(
    ctx: Ctx,
    webhookId: string,
    id: string,
  ): Promise<JsonText<typeof WebhookDelivery>> {
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), webhookId, id]);
    if (!row) throw notFound('whd');
    return row.json;
  }

  private async statusOf(ctx: Ctx, webhookId: string): Promise<string> {
    const row = await this.database.queryOne(ctx, STATUS, [tenantOf(ctx), webhookId], 'read');
    if (!row) throw notFound('wh');
    return row.status;
  }

  /** Serialises with the process that records the results of attempts. */
  private async lockWebhook(tx: TxCtx, webhookId: string): Promise<string> {
    const row = await this.database.queryOne(tx, LOCK, [tenantOf(tx), webhookId]);
    if (!row) throw notFound('wh');
    return row.status;
  }
}

function requireActive(status: string): void {
  if (status !== 'active') throw fieldError([], 'the webhook is disabled: set its status to active first');
}

const STATUS = statement(
  'webhook-delivery.status',
  `SELECT w.status FROM webhooks.endpoints w WHERE ${ofTenant('w')} AND w.id = $2`,
);
const LOCK = statement(
  'webhook-delivery.lock',
  `SELECT w.status FROM webhooks.endpoints w WHERE ${ofTenant('w')} AND w.id = $2 FOR UPDATE`,
);

const IS_OF = `${ofTenant('d')} AND d.endpoint_id = $2`;

const JSON_OF = `json_build_object('id', d.id, 'event_id', d.event_id, 'type', d.type, 'status', d.state,
  'next_attempt_at', ${isoTime('d.next_at')}, 'created_at', ${isoTime('d.created_at')}, 'attempts', (
    SELECT coalesce(json_agg(json_build_object('number', a.number, 'at', ${isoTime('a.at')}, 'duration_ms', a.duration_ms,
      'status_code', a.status_code, 'error', a.error, 'answer', a.answer) ORDER BY a.number), '[]')
    FROM webhooks.attempts a
    WHERE a.org_id = d.org_id AND a.mode = d.mode AND a.endpoint_id = d.endpoint_id AND a.delivery_id = d.id))::text AS json`;

const LIST = statement(
  'webhook-delivery.list',
  `SELECT d.id, ${JSON_OF} FROM webhooks.deliveries d WHERE ${IS_OF} AND ($3::text IS NULL OR d.id < $3) ORDER BY d.id DESC LIMIT $4`,
).rows<{ json: JsonText<typeof WebhookDelivery> }>();

const READ = statement(
  'webhook-delivery.read',
  `SELECT ${JSON_OF} FROM webhooks.deliveries d WHERE ${IS_OF} AND d.id = $3`,
).rows<{ json: JsonText<typeof WebhookDelivery> }>();

const FIND = statement(
  'webhook-delivery.find',
  `SELECT d.id FROM webhooks.deliveries d WHERE ${IS_OF} AND d.id = $3`,
);

const RECORD_TEST = statement(
  'webhook-delivery.recordTest',
  `SELECT events.record_event(${TENANT}, $2, 'webhook.test', jsonb_build_object('webhook_id', $2::text,
     'links', jsonb_build_object('self', '/v1/webhooks/' || $2)))`,
);

const NEWEST_TEST = statement(
  'webhook-delivery.newestTest',
  `SELECT d.id FROM webhooks.deliveries d JOIN events.events e ON e.id = d.event_id AND e.org_id = d.org_id AND e.mode = d.mode
   WHERE ${IS_OF} AND e.subject = $2 AND e.type = 'webhook.test' ORDER BY e.seq DESC LIMIT 1`,
);

const AGAIN = "state = 'pending', tries = 0, next_at = now()";

const REDELIVER = statement(
  'webhook-delivery.redeliver',
  `UPDATE webhooks.deliveries d SET ${AGAIN} WHERE ${IS_OF} AND d.id = $3`,
);

const REPLAY = statement(
  'webhook-delivery.replay',
  `
  WITH found AS (
    SELECT e.id, e.type, e.at FROM events.events e
    JOIN webhooks.endpoints w ON w.org_id = e.org_id AND w.mode = e.mode AND w.id = $2
    WHERE ${ofTenant('e')} AND e.type = ANY (w.types) AND e.at >= $3::timestamptz AND ($4::timestamptz IS NULL OR e.at < $4)
      AND NOT ($5::boolean AND EXISTS (SELECT FROM webhooks.deliveries d WHERE ${IS_OF} AND d.event_id = e.id AND d.state = 'delivered'))
    ORDER BY e.at, e.id LIMIT $6::integer + 1),
  taken AS (SELECT * FROM found ORDER BY at, id LIMIT $6::integer),
  sent AS (
    INSERT INTO webhooks.deliveries AS d (org_id, mode, endpoint_id, id, event_id, type)
    SELECT ${TENANT}, $2, events.new_id('whd'), id, type FROM taken ORDER BY at, id
    ON CONFLICT (org_id, mode, endpoint_id, event_id) DO UPDATE SET ${AGAIN}
    RETURNING 1)
  SELECT (SELECT count(*)::integer FROM sent) AS deliveries,
    (SELECT ${isoTime('max(at)')} FROM found HAVING count(*) > $6::integer) AS next_since`,
).rows<{ deliveries: number; next_since: string | null }>();
