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

/** The held reads of this process, whether they are for runs that it works on or for those of others. */
@Module({ providers: [GoWaiters], exports: [GoWaiters] })
class GoWaitersModule {
  constructor(waiters: GoWaiters, { stopping }: Lifecycle) {
    // Not by a hook: Nest runs hooks when the calls in hand have ended, and a held read is one of them.
    stopping.addEventListener('abort', () => waiters.close(), { once: true });
  }
}

/**
 * Answers the calls for Go; works on no run. Wants the providers of data and the language model from global modules.
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

/** Works on Go runs. Wants {@link GoKeyAccessPort}, the providers of data and the language model from global modules. */
@Module({
  imports: [CreditLedgerModule, GoWaitersModule, ResearchStepsModule],
  providers: [consumeWork(GoAgent), GoAgent, GoLeaseStore, GoJournal, GoSteps, GoResearches],
})
export class GoWorkerModule {}
