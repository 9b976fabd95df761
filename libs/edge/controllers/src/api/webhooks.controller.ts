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

const PATH = { id: 'The webhook.' };

/** Serves webhooks, and the deliveries of each. */
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly rpc: RpcTransport) {}

  @Documented({
    id: 'createWebhook',
    client: { sdk: 'webhooks.create', command: 'webhooks create {body.url}' },
    summary: 'Has events sent to an address of yours.',
    description:
      'Each message is an event, signed as Standard Webhooks says; its webhook-id is the id of the event. It is sent until the address answers with a status of the 200s, up to ten times within four days. The address begins with https://. At most 20 webhooks.',
    answers: { 201: { description: 'The webhook, with its secret.', body: WebhookWithSecret } },
    errors: ['idempotency_conflict'],
    example: { url: 'https://hooks.acme.example/quarry', types: ['run.completed', 'run.failed'] },
  })
  @Post()
  @JsonRoute({ body: BODIES.ordinary })
  createWebhook(
    @RequestCtx() ctx: Ctx,
    @IdempotencyKey() idempotencyKey: string | null,
    @Body(bodyOf(CreateWebhookRequest)) body: CreateWebhookRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.create, {
      body,
      idempotencyKey,
    });
  }

  @Documented({
    id: 'listWebhooks',
    client: { sdk: 'webhooks.list', command: 'webhooks list' },
    summary: 'Lists the webhooks.',
    answers: {
      200: { description: 'All webhooks, in the order in which they were made.', body: WebhookList },
    },
  })
  @Get()
  @JsonRoute()
  listWebhooks(@RequestCtx() ctx: Ctx): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.list, {});
  }

  @Documented({
    id: 'getWebhook',
    client: { sdk: 'webhooks.get' },
    summary: 'Reads a webhook.',
    answers: { 200: { description: 'The webhook.', body: Webhook } },
    errors: ['not_found'],
    path: PATH,
  })
  @Get(':id')
  @JsonRoute()
  getWebhook(@RequestCtx() ctx: Ctx, @IdParam('wh') webhookId: string): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.get, { webhookId });
  }

  @Documented({
    id: 'changeWebhook',
    client: { sdk: 'webhooks.update' },
    summary: 'Changes a webhook, or switches it off or on.',
    description:
      'What is left out stays as it is. A webhook that is disabled is sent nothing; what it has missed is sent by a replay once it is active again.',
    answers: { 200: { description: 'The webhook as it stands now.', body: Webhook } },
    errors: ['not_found'],
    path: PATH,
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
    id: 'deleteWebhook',
    client: { sdk: 'webhooks.delete', command: 'webhooks delete {id}' },
    summary: 'Removes a webhook with its deliveries.',
    answers: { 204: { description: 'It is removed.', body: null } },
    errors: ['not_found'],
    path: PATH,
  })
  @Delete(':id')
  @Policy({})
  async removeWebhook(@RequestCtx() ctx: Ctx, @IdParam('wh') webhookId: string): Promise<void> {
    await this.rpc.call(ctx, WEBHOOKS_RPC.remove, { webhookId });
  }

  @Documented({
    id: 'rotateWebhook',
    client: { sdk: 'webhooks.rotate' },
    summary: 'Gives a webhook a new secret.',
    description:
      'For overlap_hours (0 to 168; 24) each message carries a signature by the new secret and one by the secret of before.',
    answers: { 200: { description: 'The webhook, with its new secret.', body: WebhookWithSecret } },
    errors: ['not_found', 'idempotency_conflict'],
    path: PATH,
    example: {},
  })
  @Post(':id/rotate')
  @JsonRoute({ body: BODIES.ordinary })
  rotateSecret(
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
    id: 'testWebhook',
    client: { sdk: 'webhooks.test', command: 'webhooks test {id}' },
    summary: 'Sends an event webhook.test to a webhook.',
    description: 'Also to one that is disabled, and whatever it listens to.',
    answers: { 201: { description: 'The delivery, on its way.', body: WebhookDelivery } },
    errors: ['not_found'],
    path: PATH,
  })
  @Post(':id/test')
  @JsonRoute()
  sendTestEvent(@RequestCtx() ctx: Ctx, @IdParam('wh') webhookId: string): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.test, { webhookId });
  }

  @Documented({
    id: 'listWebhookDeliveries',
    client: { sdk: 'webhooks.listDeliveries', command: 'webhooks deliveries {id}' },
    summary: 'Lists what was sent to a webhook and what is to be sent, with all attempts.',
    description: 'The newest first. Deliveries are kept for 30 days.',
    answers: { 200: { description: 'A page of deliveries.', body: WebhookDeliveryPage } },
    errors: ['not_found', 'invalid_cursor'],
    path: PATH,
  })
  @Get(':id/deliveries')
  @JsonRoute({ query: 'validated' })
  listDeliveries(
    @RequestCtx() ctx: Ctx,
    @IdParam('wh') webhookId: string,
    @Query(queryOf(CursorPageQuery)) { limit, cursor }: CursorPageQuery,
  ): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.listDeliveries, {
      webhookId,
      limit,
      cursor: cursor ?? null,
    });
  }

  @Documented({
    id: 'redeliverWebhook',
    client: { sdk: 'webhooks.redeliver', command: 'webhooks redeliver {id} {delivery_id}' },
    summary: 'Sends an event again.',
    description: 'With the same webhook-id, and all its attempts before it.',
    answers: { 200: { description: 'The delivery, on its way.', body: WebhookDelivery } },
    errors: ['not_found'],
    path: { ...PATH, delivery_id: 'The delivery.' },
  })
  @Post(':id/deliveries/:delivery_id/redeliver')
  @JsonRoute()
  redeliverEvent(
    @RequestCtx() ctx: Ctx,
    @IdParam('wh') webhookId: string,
    @IdParam('whd', 'delivery_id') deliveryId: string,
  ): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.redeliver, {
      webhookId,
      deliveryId,
    });
  }

  @Documented({
    id: 'replayWebhook',
    client: { sdk: 'webhooks.replay' },
    summary: 'Sends what happened within a time again, or for the first time.',
    description:
      'Every event of its types that is kept, with the same webhook-id as before; with only_failed without those that were delivered. At most 10,000 events: next_since says where the next replay begins.',
    answers: { 200: { description: 'How much is on its way.', body: WebhookReplay } },
    errors: ['not_found'],
    path: PATH,
    example: { since: '2026-11-26T00:00:00Z', only_failed: true },
  })
  @Post(':id/replay')
  @JsonRoute({ body: BODIES.ordinary })
  replayEvents(
    @RequestCtx() ctx: Ctx,
    @IdParam('wh') webhookId: string,
    @Body(bodyOf(ReplayWebhookRequest)) body: ReplayWebhookRequest,
  ): Promise<string> {
    return this.rpc.call(ctx, WEBHOOKS_RPC.replay, { webhookId, body });
  }
}
