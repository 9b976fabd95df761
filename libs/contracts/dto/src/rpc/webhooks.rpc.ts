import type { JsonText } from '../resources/json-text.js';
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookList,
  WebhookReplay,
  WebhookWithSecret,
} from '../resources/webhooks.resources.js';
import type { ChangeWebhookRequest, CreateWebhookRequest, ReplayWebhookRequest } from '../webhooks.js';
import { defineMethod, type Keyed } from './rpc-method.js';

/** Calls for webhooks; handled by the services side. */
export const WEBHOOKS_RPC = {
  create: defineMethod<{ body: CreateWebhookRequest } & Keyed, JsonText<typeof WebhookWithSecret>>(
    'services.webhooks.create',
    'write',
  ),
  list: defineMethod<Record<string, never>, JsonText<typeof WebhookList>>('services.webhooks.list', 'read'),
  get: defineMethod<{ webhookId: string }, JsonText<typeof Webhook>>('services.webhooks.get', 'read'),
  change: defineMethod<{ webhookId: string; body: ChangeWebhookRequest }, JsonText<typeof Webhook>>(
    'services.webhooks.change',
    'write',
  ),
  remove: defineMethod<{ webhookId: string }, null>('services.webhooks.remove', 'write'),
  rotate: defineMethod<
    { webhookId: string; overlapHours: number | null; idempotencyKey?: string | null },
    JsonText<typeof WebhookWithSecret>
  >('services.webhooks.rotate', 'write'),
  /** Sends a test event to this webhook only. */
  test: defineMethod<{ webhookId: string }, JsonText<typeof WebhookDelivery>>(
    'services.webhooks.test',
    'write',
  ),
  listDeliveries: defineMethod<
    { webhookId: string; limit: number; cursor: string | null },
    JsonText<typeof WebhookDeliveryPage>
  >('services.webhooks.deliveries', 'read'),
  redeliver: defineMethod<{ webhookId: string; deliveryId: string }, JsonText<typeof WebhookDelivery>>(
    'services.webhooks.redeliver',
    'write',
  ),
  replay: defineMethod<{ webhookId: string; body: ReplayWebhookRequest }, JsonText<typeof WebhookReplay>>(
    'services.webhooks.replay',
    'write',
    30_000,
  ),
} as const;
