export { DestinationLeaseStore } from './destinations/destination-lease.store.js';
export { destinationErasure } from './destinations/erase-from-destinations.js';
export { PUSH_DAYS, pushRetention } from './destinations/push-retention.js';
export { PushRowsPort, type PushRow } from './destinations/push-rows.port.js';
export { cluesOf } from './destinations/row-mapping.js';
export { resealWebhooks } from './reseal-webhooks.js';
export { WebhookLeaseStore } from './webhook-lease.store.js';
export { DELIVERY_DAYS, webhookRetention } from './webhook-retention.js';
export type { WebhookNetwork } from './webhook.client.js';
export {
  DestinationsApiModule,
  PushWorkerModule,
  WebhooksApiModule,
  WebhooksModule,
  WebhookWorkerModule,
} from './webhooks.module.js';
