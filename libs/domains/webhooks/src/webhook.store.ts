import { Injectable } from '@nestjs/common';
import {
  fieldError,
  parseResource,
  requireExpected,
  WEBHOOKS_MAX,
  WEBHOOKS_RPC,
  type ChangeWebhookRequest,
  type CreateWebhookRequest,
  type JsonText,
  type Webhook,
  type WebhookList,
  type WebhookWithSecret,
} from '@quarry/dto';
import { newId, SealedSecrets, notFound, type Ctx } from '@quarry/app';
import {
  Database,
  IdempotentRequests,
  isoTime,
  lockTenant,
  ofTenant,
  recordAudit,
  TENANT,
  tenantOf,
  type TxCtx,
} from '@quarry/postgres';
import { refuseDeleted } from './deleted-since.js';
import { statement } from './statements.types.js';
import { bindingOf } from './webhook-secrets.js';
import { newWebhookSecret } from './webhook-signature.js';
import { WebhookClient } from './webhook.client.js';

const OVERLAP_HOURS_DEFAULT = 24;

/** Webhooks in the API: created, read, changed and deleted, and their secrets rotated. */
@Injectable()
export class WebhookStore {
  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
    private readonly client: WebhookClient,
    private readonly secrets: SealedSecrets,
  ) {}

  /**
   * Creates a webhook. The same key with the same body returns the same one, with its secret.
   * @throws AppError invalid_request for a forbidden URL, for too many webhooks, and if no secret can be sealed;
   *   idempotency_conflict
   */
  async createWebhook(
    ctx: Ctx,
    body: CreateWebhookRequest,
    idempotencyKey: string | null,
  ): Promise<JsonText<typeof WebhookWithSecret>> {
    this.validateUrl(body.url);
    if (!this.secrets.canSeal)
      throw fieldError([], 'webhooks cannot be stored: the operator has not set ENCRYPTION_KEYS');
    const request = { route: WEBHOOKS_RPC.create.pattern, key: idempotencyKey, body };
    const { id } = await this.requests.inTransaction(ctx, request, async (tx) => {
      await lockTenant(this.database, tx, 'webhooks');
      const { url, types, description = null } = body;
      const id = newId('wh');
      const sealed = this.secrets.sealSecret(bindingOf(tx, id), newWebhookSecret());
      const params = [tenantOf(tx), id, url, [...new Set(types)], description, sealed, WEBHOOKS_MAX] as const;
      const made = await this.database.queryOne(tx, INSERT, params);
      if (!made) throw fieldError([], `there are already ${WEBHOOKS_MAX} webhooks, which is the limit`);
      await recordAudit(this.database, tx, { action: 'webhook.created', object: id });
      return { id };
    });
    return this.shownWithSecret(ctx, id).catch(refuseDeleted);
  }

  /** @returns all webhooks, in the order of creation */
  async listWebhooks(ctx: Ctx): Promise<JsonText<typeof WebhookList>> {
    const row = await this.database.queryOne(ctx, LIST, [tenantOf(ctx)], 'read');
    return row!.json;
  }

  /** @throws AppError not_found */
  async readWebhook(ctx: Ctx, webhookId: string): Promise<JsonText<typeof Webhook>> {
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), webhookId], 'read');
    if (!row) throw notFound('wh');
    return row.json;
  }

  /**
   * Changes the fields in the body. Reactivating a webhook resets its failures.
   * @throws AppError not_found, invalid_request, version_conflict
   */
  async changeWebhook(
    ctx: Ctx,
    webhookId: string,
    body: ChangeWebhookRequest,
  ): Promise<JsonText<typeof Webhook>> {
    const { url = null, types, description = null, status = null, expected } = body;
    if (url !== null) this.validateUrl(url);
    const wanted = types ? [...new Set(types)] : null;
    await this.database.transaction(ctx, async (tx) => {
      const known = await this.database.queryOne(tx, LOCK, [tenantOf(tx), webhookId]);
      if (!known) throw notFound('wh');
      requireExpected(parseResource(known.json), expected);
      const params = [tenantOf(tx), webhookId, url, wanted, description, status] as const;
      await this.database.query(tx, CHANGE, params);
      await recordAudit(this.database, tx, {
        action: 'webhook.changed',
        object: webhookId,
        facts: { status },
      });
    });
    return this.readWebhook(ctx, webhookId);
  }

  /** Deletes a webhook with its deliveries. @throws AppError not_found */
  async removeWebhook(ctx: Ctx, webhookId: string): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      if (!(await this.database.queryOne(tx, REMOVE, [tenantOf(tx), webhookId]))) throw notFound('wh');
      await this.database.query(tx, REMOVE_DELIVERIES, [tenantOf(tx), webhookId]);
      await this.database.query(tx, REMOVE_ATTEMPTS, [tenantOf(tx), webhookId]);
      await recordAudit(this.database, tx, { action: 'webhook.deleted', object: webhookId });
    });
  }

  /**
   * Rotates the secret of a webhook. During the overlap messages are also signed with the previous secret. The same key with
   * the same body does not rotate again, so that a client that has lost the response still has the previous secret during
   * the overlap.
   * @throws AppError not_found, idempotency_conflict
   */
  async rotateSecret(
    ctx: Ctx,
    webhookId: string,
    overlapHours: number | null,
    idempotencyKey: string | null = null,
  ): Promise<JsonText<typeof WebhookWithSecret>> {
    const route = `${WEBHOOKS_RPC.rotate.pattern} ${webhookId}`;
    await this.requests.inTransaction(
      ctx,
      { route, key: idempotencyKey, body: { overlapHours } },
      async (tx) => {
        const sealed = this.secrets.sealSecret(bindingOf(tx, webhookId), newWebhookSecret());
        const params = [tenantOf(tx), webhookId, sealed, overlapHours ?? OVERLAP_HOURS_DEFAULT] as const;
        if (!(await this.database.queryOne(tx, ROTATE, params))) throw notFound('wh');
        await recordAudit(this.database, tx, { action: 'webhook.secret_rotated', object: webhookId });
        return {};
      },
    );
    return this.shownWithSecret(ctx, webhookId);
  }

  private async shownWithSecret(
    ctx: Ctx | TxCtx,
    webhookId: string,
  ): Promise<JsonText<typeof WebhookWithSecret>> {
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), webhookId]);
    if (!row) throw notFound('wh');
    const { description: _description, ...shown } = JSON.parse(row.json) as Record<string, unknown>;
    const secret = this.secrets.openSecret(bindingOf(ctx, webhookId), row.sealed_secret);
    return JSON.stringify({ ...shown, secret }) as JsonText<typeof WebhookWithSecret>;
  }

  private validateUrl(url: string): void {
    const refusal = this.client.refusalOf(url);
    if (refusal === null) return;
    throw fieldError(
      ['url'],
      `cannot be used: ${refusal} A webhook needs a public https:// address, or a host of your own network in FETCH_ALLOW_HOSTS (docs/webhooks.md)`,
    );
  }
}

const JSON_OF = `json_build_object('id', w.id, 'url', w.url, 'types', w.types, 'status', w.status, 'reason', w.reason,
  'created_at', ${isoTime('w.created_at')}, 'description', w.description)`;

const INSERT = statement(
  'webhook.insert',
  `INSERT INTO webhooks.endpoints (org_id, mode, id, url, types, description, sealed_secret)
   SELECT ${TENANT}, $2, $3, $4::text[], $5, $6
   WHERE (SELECT count(*) FROM webhooks.endpoints w WHERE ${ofTenant('w')}) < $7 RETURNING id`,
);

const LIST = statement(
  'webhook.list',
  `SELECT json_build_object('items', coalesce(json_agg(${JSON_OF} ORDER BY w.created_at, w.id), '[]'))::text AS json
   FROM webhooks.endpoints w WHERE ${ofTenant('w')}`,
).rows<{ json: JsonText<typeof WebhookList> }>();

const READ = statement(
  'webhook.read',
  `SELECT ${JSON_OF}::text AS json, w.sealed_secret FROM webhooks.endpoints w WHERE ${ofTenant('w')} AND w.id = $2`,
).rows<{ json: JsonText<typeof Webhook> }>();

const LOCK = statement(
  'webhook.lock',
  `SELECT ${JSON_OF}::text AS json FROM webhooks.endpoints w WHERE ${ofTenant('w')} AND w.id = $2 FOR UPDATE`,
).rows<{ json: JsonText<typeof Webhook> }>();

const CHANGE = statement(
  'webhook.change',
  `
  UPDATE webhooks.endpoints w SET url = coalesce($3, w.url), types = coalesce($4, w.types),
    description = coalesce($5, w.description), status = coalesce($6, w.status),
    reason = CASE $6 WHEN 'active' THEN NULL WHEN 'disabled' THEN coalesce(w.reason, 'requested') ELSE w.reason END,
    failing_since = CASE $6 WHEN 'active' THEN NULL ELSE w.failing_since END,
    failures = CASE $6 WHEN 'active' THEN 0 ELSE w.failures END
  WHERE ${ofTenant('w')} AND w.id = $2`,
);

const ROTATE = statement(
  'webhook.rotate',
  `UPDATE webhooks.endpoints w SET previous_secret = w.sealed_secret, previous_until = now() + make_interval(hours => $4),
     sealed_secret = $3
   WHERE ${ofTenant('w')} AND w.id = $2 RETURNING w.id`,
);

const REMOVE = statement(
  'webhook.remove',
  `DELETE FROM webhooks.endpoints WHERE ${ofTenant()} AND id = $2 RETURNING id`,
);
const REMOVE_DELIVERIES = statement(
  'webhook.removeDeliveries',
  `DELETE FROM webhooks.deliveries WHERE ${ofTenant()} AND endpoint_id = $2`,
);
const REMOVE_ATTEMPTS = statement(
  'webhook.removeAttempts',
  `DELETE FROM webhooks.attempts WHERE ${ofTenant()} AND endpoint_id = $2`,
);
