export { resealWebhooks, type ResealedWebhooks } from './reseal-webhooks.js';
export { WebhookLeaseStore } from './webhook-lease.store.js';
export { DELIVERY_DAYS, webhookRetention } from './webhook-retention.js';
export type { WebhookNetwork } from './webhook.client.js';
export { WebhooksApiModule, WebhooksModule, WebhookWorkerModule } from './webhooks.module.js';
