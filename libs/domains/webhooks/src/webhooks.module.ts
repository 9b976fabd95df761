import { Module, type DynamicModule } from '@nestjs/common';
import { consumeWork } from '@quarry/durable-work';
import { DestinationLeaseStore } from './destinations/destination-lease.store.js';
import { DestinationStore } from './destinations/destination.store.js';
import { DestinationsController } from './destinations/destinations.controller.js';
import { PushClassifier } from './destinations/push-classifier.js';
import { PushSender } from './destinations/push-sender.js';
import { PushStore } from './destinations/push.store.js';
import { WebhookDeliveryStore } from './webhook-delivery.store.js';
import { WebhookLeaseStore } from './webhook-lease.store.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookClient, type WebhookNetwork } from './webhook.client.js';
import { WebhookStore } from './webhook.store.js';
import { WebhooksController } from './webhooks.controller.js';

/** Provides the HTTP client for receivers to every module of the process. */
@Module({})
export class WebhooksModule {
  static forRoot(network: WebhookNetwork): DynamicModule {
    return {
      module: WebhooksModule,
      global: true,
      providers: [{ provide: WebhookClient, useFactory: () => new WebhookClient(network) }],
      exports: [WebhookClient],
    };
  }
}

/** Handles the calls for webhooks without sending. Requires {@link WebhooksModule} and the secrets from global modules. */
@Module({ controllers: [WebhooksController], providers: [WebhookStore, WebhookDeliveryStore] })
export class WebhooksApiModule {}

/** Sends events to webhooks. Requires {@link WebhooksModule} and the secrets from global modules. */
@Module({ providers: [consumeWork(WebhookSender), WebhookSender, WebhookLeaseStore] })
export class WebhookWorkerModule {}

/**
 * Handles the calls for destinations without sending. Requires {@link WebhooksModule}, the secrets and PushRowsPort from
 * global modules.
 */
@Module({ controllers: [DestinationsController], providers: [DestinationStore, PushStore, PushClassifier] })
export class DestinationsApiModule {}

/** Pushes rows to destinations. Requires {@link WebhooksModule}, the secrets and PushRowsPort from global modules. */
@Module({ providers: [consumeWork(PushSender), PushSender, PushClassifier, DestinationLeaseStore] })
export class PushWorkerModule {}
