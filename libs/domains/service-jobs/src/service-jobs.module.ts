import { Module } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import { Lifecycle } from '@quarry/app';
import { QueueBus } from '@quarry/queue';
import { BatchStore, type Deliver } from './batch.store.js';
import { BatchWaiters } from './batch-waiters.js';
import { CatalogueController } from './catalogue.controller.js';
import { messagesOf, type JobQueue, type Queues } from './job-queues.js';
import { ServiceJobsController } from './service-jobs.controller.js';
import { DELIVER } from './tokens.js';

/** Accepts and reads lists; works on none. */
@Module({
  imports: [CreditLedgerModule],
  providers: [
    {
      provide: DELIVER,
      useFactory:
        (queues: Queues): Deliver =>
        (queue, jobIds) =>
          queues.addMessages(queue as JobQueue, messagesOf(jobIds)),
      inject: [QueueBus],
    },
    BatchStore,
    {
      provide: BatchWaiters,
      useFactory: (batches: BatchStore) => new BatchWaiters((ctx, ids) => batches.endedAmong(ctx, ids)),
      inject: [BatchStore],
    },
  ],
  exports: [BatchStore, BatchWaiters, DELIVER],
})
export class ServiceJobsModule {}

/** Answers the calls for lists, lines and the catalogue. */
@Module({ imports: [ServiceJobsModule], controllers: [ServiceJobsController, CatalogueController] })
export class ServiceJobsApiModule {
  constructor(waiters: BatchWaiters, { stopping }: Lifecycle) {
    // Not by a hook: Nest runs hooks when the calls in hand have ended, and a held read is one of them.
    stopping.addEventListener('abort', () => waiters.close(), { once: true });
  }
}
