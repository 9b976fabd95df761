import { Controller } from '@nestjs/common';
import { WEBHOOKS_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { WebhookDeliveryStore } from './webhook-delivery.store.js';
import { WebhookStore } from './webhook.store.js';

type Rpc = typeof WEBHOOKS_RPC;

/** Handles the calls for webhooks and their deliveries. */
@Controller()
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhookStore,
    private readonly deliveries: WebhookDeliveryStore,
  ) {}

  @Answers(WEBHOOKS_RPC.create)
  createWebhook(ctx: Ctx, { body, idempotencyKey = null }: RequestOf<Rpc['create']>) {
    return this.webhooks.createWebhook(ctx, body, idempotencyKey);
  }

  @Answers(WEBHOOKS_RPC.list)
  listWebhooks(ctx: Ctx) {
    return this.webhooks.listWebhooks(ctx);
  }

  @Answers(WEBHOOKS_RPC.get)
  getWebhook(ctx: Ctx, { webhookId }: RequestOf<Rpc['get']>) {
    return this.webhooks.readWebhook(ctx, webhookId);
  }

  @Answers(WEBHOOKS_RPC.change)
  changeWebhook(ctx: Ctx, { webhookId, body }: RequestOf<Rpc['change']>) {
    return this.webhooks.changeWebhook(ctx, webhookId, body);
  }

  @Answers(WEBHOOKS_RPC.remove)
  async removeWebhook(ctx: Ctx, { webhookId }: RequestOf<Rpc['remove']>) {
    await this.webhooks.removeWebhook(ctx, webhookId);
    return null;
  }

  @Answers(WEBHOOKS_RPC.rotate)
  rotateSecret(ctx: Ctx, { webhookId, overlapHours, idempotencyKey = null }: RequestOf<Rpc['rotate']>) {
    return this.webhooks.rotateSecret(ctx, webhookId, overlapHours, idempotencyKey);
  }

  @Answers(WEBHOOKS_RPC.test)
  sendTestEvent(ctx: Ctx, { webhookId }: RequestOf<Rpc['test']>) {
    return this.deliveries.sendTest(ctx, webhookId);
  }

  @Answers(WEBHOOKS_RPC.listDeliveries)
  listDeliveries(ctx: Ctx, { webhookId, ...page }: RequestOf<Rpc['listDeliveries']>) {
    return this.deliveries.listDeliveries(ctx, webhookId, page);
  }

  @Answers(WEBHOOKS_RPC.redeliver)
  redeliverEvent(ctx: Ctx, { webhookId, deliveryId }: RequestOf<Rpc['redeliver']>) {
    return this.deliveries.redeliverEvent(ctx, webhookId, deliveryId);
  }

  @Answers(WEBHOOKS_RPC.replay)
  replayEvents(ctx: Ctx, { webhookId, body }: RequestOf<Rpc['replay']>) {
    return this.deliveries.replayEvents(ctx, webhookId, body);
  }
}
