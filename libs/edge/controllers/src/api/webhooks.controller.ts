import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  CursorPageQuery,
  ReplayWebhookRequest,
  RotateWebhookRequest,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
  WebhookReplay,
  WEBHOOKS_RPC,
  WebhookWithSecret,
} from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { RpcTransport } from '@quarry/rpc';
import {
  BODIES,
  bodyOf,
  Documented,
  IdempotencyKey,
  IdParam,
  JsonRoute,
  Policy,
  queryOf,
  RequestCtx,
} from '@quarry/http';

/** Serves webhooks, and the deliveries of each. */
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    client: { sdk: 'webhooks.create', command: 'webhooks create {body.url}' },
    summary: 'Creates a webhook: sends events to an address of yours.',
    description:
      'Each message is an event, signed as in Standard Webhooks; its webhook-id is the id of the event. It is sent until the address answers with a 2xx status, up to ten times, within four days unless the address asks for more time with Retry-After, of which up to a day is granted each time. The address must begin with https://. At most 20 webhooks.',
    answers: { 201: { description: 'The webhook, with its secret.', body: WebhookWithSecret } },
    example: { url: 'https://hooks.acme.example/quarry', types: ['run.completed', 'run.failed'] },
  })
  @Post()
  @JsonRoute({ body: BODIES.ordinary })
  createWebhook(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateWebhookRequest)) body: CreateWebhookRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.create, { body, idempotencyKey });
  }

  @Documented({
    client: { sdk: 'webhooks.list', command: 'webhooks list' },
    summary: 'Lists the webhooks.',
    answers: { 200: { description: 'All webhooks, the oldest first.', body: WebhookList } },
  })
  @Get()
  @JsonRoute()
  listWebhooks(@RequestCtx() ctx: Ctx): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.list, {});
  }

  @Documented({
    client: { sdk: 'webhooks.get' },
    summary: 'Reads a webhook.',
    answers: { 200: { description: 'The webhook.', body: Webhook } },
  })
  @Get(':id')
  @JsonRoute()
  getWebhook(@RequestCtx() ctx: Ctx, @IdParam('wh') webhookId: string): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.get, { webhookId });
  }

  @Documented({
    client: { sdk: 'webhooks.update' },
    summary: 'Changes, disables or enables a webhook.',
    description:
      'Omitted fields stay as they are. Nothing is sent to a disabled webhook; once it is active again, a replay sends what it missed. With expected, the fields as you have read them, a change by somebody else in the meantime is not overwritten.',
    answers: { 200: { description: 'The changed webhook.', body: Webhook } },
    errors: ['version_conflict'],
    example: { status: 'active' },
  })
  @Patch(':id')
  @JsonRoute({ body: BODIES.ordinary })
  changeWebhook(
    @RequestCtx() ctx: Ctx,
    @IdParam('wh') webhookId: string,
    @Body(bodyOf(ChangeWebhookRequest)) body: ChangeWebhookRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.change, { webhookId, body });
  }

  @Documented({
    client: { sdk: 'webhooks.delete', command: 'webhooks delete {id}' },
    summary: 'Deletes a webhook with its deliveries.',
    answers: { 204: { description: 'Deleted.', body: null } },
  })
  @Delete(':id')
  @Policy({})
  async deleteWebhook(@RequestCtx() ctx: Ctx, @IdParam('wh') webhookId: string): Promise<void> {
    await this.rpc.call(ctx, WEBHOOKS_RPC.remove, { webhookId });
  }

  @Documented({
    client: { sdk: 'webhooks.rotate' },
    summary: 'Gives a webhook a new secret.',
    description:
      'For overlap_hours (0 to 168; default 24) each message is signed with both the new and the old secret.',
    answers: { 200: { description: 'The webhook, with its new secret.', body: WebhookWithSecret } },
    example: {},
  })
  @Post(':id/rotate')
  @JsonRoute({ body: BODIES.ordinary })
  rotateWebhook(
    @RequestCtx() ctx: Ctx,
    @IdParam('wh') webhookId: string,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(RotateWebhookRequest)) { overlap_hours: overlapHours }: RotateWebhookRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.rotate, {
      webhookId,
      overlapHours: overlapHours ?? null,
      idempotencyKey,
    });
  }

  @Documented({
    client: { sdk: 'webhooks.test', command: 'webhooks test {id}' },
    summary: 'Sends a test event, webhook.test, to a webhook.',
    description: 'Also to a disabled webhook, and whatever types it listens to.',
    answers: { 201: { description: 'The delivery, waiting to be sent.', body: WebhookDelivery } },
  })
  @Post(':id/test')
  @JsonRoute()
  testWebhook(@RequestCtx() ctx: Ctx, @IdParam('wh') webhookId: string): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.test, { webhookId });
  }

  @Documented({
    client: { sdk: 'webhooks.listDeliveries', command: 'webhooks deliveries {id}' },
    summary: 'Lists the deliveries of a webhook, with all attempts.',
    description: 'The newest first. Deliveries are kept for 30 days.',
    answers: { 200: { description: 'A page of deliveries.', body: WebhookDeliveryPage } },
  })
  @Get(':id/deliveries')
  @JsonRoute({ query: 'validated' })
  listWebhookDeliveries(
    @RequestCtx() ctx: Ctx,
    @IdParam('wh') webhookId: string,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.listDeliveries, { webhookId, limit, cursor: cursor ?? null });
  }

  @Documented({
    client: { sdk: 'webhooks.redeliver', command: 'webhooks redeliver {id} {delivery_id}' },
    summary: 'Sends an event again.',
    description: 'With the same webhook-id, and all its attempts before it.',
    answers: { 200: { description: 'The delivery, waiting to be sent.', body: WebhookDelivery } },
  })
  @Post(':id/deliveries/:delivery_id/redeliver')
  @JsonRoute()
  redeliverWebhook(
    @RequestCtx() ctx: Ctx,
    @IdParam('wh') webhookId: string,
    @IdParam('whd', 'delivery_id') deliveryId: string,
  ): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.redeliver, { webhookId, deliveryId });
  }

  @Documented({
    client: { sdk: 'webhooks.replay' },
    summary: 'Replays the events of a period.',
    description:
      'Sends every kept event of its types with its original webhook-id; with only_failed, only those not delivered. At most 10,000 events: next_since tells where the next replay begins.',
    answers: { 200: { description: 'How many events will be sent.', body: WebhookReplay } },
    example: { since: '2026-11-26T00:00:00Z', only_failed: true },
  })
  @Post(':id/replay')
  @JsonRoute({ body: BODIES.ordinary })
  replayWebhook(
    @RequestCtx() ctx: Ctx,
    @IdParam('wh') webhookId: string,
    @Body(bodyOf(ReplayWebhookRequest)) body: ReplayWebhookRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.replay, { webhookId, body });
  }
}
