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
import { method, type Keyed } from './rpc-method.js';

/** Calls for webhooks; answered by the services side. */
export const WEBHOOKS_RPC = {
  create: method<{ body: CreateWebhookRequest } & Keyed, JsonText<typeof WebhookWithSecret>>(
    'services.webhooks.create',
    'write',
  ),
  list: method<Record<string, never>, JsonText<typeof WebhookList>>('services.webhooks.list', 'read'),
  get: method<{ webhookId: string }, JsonText<typeof Webhook>>('services.webhooks.get', 'read'),
  change: method<{ webhookId: string; body: ChangeWebhookRequest }, JsonText<typeof Webhook>>(
    'services.webhooks.change',
    'write',
  ),
  remove: method<{ webhookId: string }, null>('services.webhooks.remove', 'write'),
  rotate: method<{ webhookId: string; overlapHours: number | null }, JsonText<typeof WebhookWithSecret>>(
    'services.webhooks.rotate',
    'write',
  ),
  /** Sends an event that tells of nothing, to this webhook alone. */
  test: method<{ webhookId: string }, JsonText<typeof WebhookDelivery>>('services.webhooks.test', 'write'),
  listDeliveries: method<
    { webhookId: string; limit: number; cursor: string | null },
    JsonText<typeof WebhookDeliveryPage>
  >('services.webhooks.deliveries', 'read'),
  redeliver: method<{ webhookId: string; deliveryId: string }, JsonText<typeof WebhookDelivery>>(
    'services.webhooks.redeliver',
    'write',
  ),
  replay: method<{ webhookId: string; body: ReplayWebhookRequest }, JsonText<typeof WebhookReplay>>(
    'services.webhooks.replay',
    'write',
    30_000,
  ),
} as const;
