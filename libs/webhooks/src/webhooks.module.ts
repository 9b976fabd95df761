import { Module, type DynamicModule } from '@nestjs/common';
import { WebhookConsumer } from './webhook-consumer.js';
import { WebhookDeliveryStore } from './webhook-delivery.store.js';
import { WebhookLeaseStore } from './webhook-lease.store.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookClient, type WebhookNetwork } from './webhook.client.js';
import { WebhookStore } from './webhook.store.js';
import { WebhooksController } from './webhooks.controller.js';

/** The way to receivers, for every module of the process. */
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

/** Answers the calls for webhooks; sends nothing. Wants {@link WebhooksModule} and the secrets from global modules. */
@Module({ controllers: [WebhooksController], providers: [WebhookStore, WebhookDeliveryStore] })
export class WebhooksApiModule {}

/** Sends events to webhooks. Wants {@link WebhooksModule} and the secrets from global modules. */
@Module({ providers: [WebhookConsumer, WebhookSender, WebhookLeaseStore] })
export class WebhookWorkerModule {}
