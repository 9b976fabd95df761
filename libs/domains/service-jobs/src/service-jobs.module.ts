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

/** Accepts and reads batches; does not work on them. */
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

/** Answers calls about batches, jobs and the catalogue. */
@Module({ imports: [ServiceJobsModule], controllers: [ServiceJobsController, CatalogueController] })
export class ServiceJobsApiModule {
  constructor(waiters: BatchWaiters, { stopping }: Lifecycle) {
    // Not in a shutdown hook: Nest runs hooks after the open calls have ended, and a held read is one of them.
    stopping.addEventListener('abort', () => waiters.close(), { once: true });
  }
}
