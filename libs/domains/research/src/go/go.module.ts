import { Module } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import type { QUEUES } from '@quarry/dto';
import { consumeWork } from '@quarry/durable-work';
import { Lifecycle } from '@quarry/app';
import { QueueBus } from '@quarry/queue';
import { ResearchStepsModule } from '../research-steps.module.js';
import { GoAgent } from './go-agent.js';
import { GoController } from './go.controller.js';
import { GoJournal } from './go-journal.js';
import { GoLeaseStore } from './go-lease.store.js';
import { GoResearches } from './go-researches.js';
import { DELIVER_GO, GoRunStore, type DeliverGo } from './go-run.store.js';
import { GoSteps } from './go-steps.js';
import { GoWaiters } from './go-waiters.js';

/** Held reads of this process, for its own runs and for those of other processes. */
@Module({ providers: [GoWaiters], exports: [GoWaiters] })
class GoWaitersModule {
  constructor(waiters: GoWaiters, { stopping }: Lifecycle) {
    // Not a shutdown hook: Nest runs hooks after the open requests have ended, and a held read is one of them.
    stopping.addEventListener('abort', () => waiters.close(), { once: true });
  }
}

/**
 * Handles the calls for Go without processing runs. Requires the data providers and the language model from global modules.
 */
@Module({
  imports: [CreditLedgerModule, GoWaitersModule],
  controllers: [GoController],
  providers: [
    {
      provide: DELIVER_GO,
      useFactory:
        (queues: QueueBus<typeof QUEUES>): DeliverGo =>
        (runId) =>
          queues.addMessages('go-runs', [{ runId }]),
      inject: [QueueBus],
    },
    GoRunStore,
  ],
})
export class GoApiModule {}

/** Processes Go runs. Requires {@link GoKeyAccessPort}, the data providers and the language model from global modules. */
@Module({
  imports: [CreditLedgerModule, GoWaitersModule, ResearchStepsModule],
  providers: [consumeWork(GoAgent), GoAgent, GoLeaseStore, GoJournal, GoSteps, GoResearches],
})
export class GoWorkerModule {}
