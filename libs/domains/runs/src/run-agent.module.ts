import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import type { QUEUES, RunReady } from '@quarry/dto';
import { consumeWork, type WorkHandler } from '@quarry/durable-work';
import { QueueBus } from '@quarry/queue';
import { ResearchStepsModule } from '@quarry/research';
import { ColumnEnricherModule } from './columns/column-enricher.module.js';
import { ConversationRecord } from './agent/conversation-record.js';
import { EarlierTables } from './rows/earlier-tables.js';
import { PromptPlans } from './plans/prompt-plans.js';
import { RowSource } from './rows/row-source.js';
import { DELIVER_RUN, RUN_QUEUE, RunAgent, type DeliverRun } from './agent/run-agent.js';
import { RunLeaseStore, type RunQueue } from './execution/run-lease.store.js';
import { RunEnding } from './agent/run-ending.js';
import { RunPublisher } from './agent/run-publisher.js';
import { RunScript } from './agent/run-script.js';
import { StepJournals } from './execution/step-journal.js';
import { TableBuilder } from './agent/table-builder.js';
import { WebRowSource } from './rows/web-row-source.js';
import { WaitersModule } from './waiters.module.js';

const imports = [CreditLedgerModule, ResearchStepsModule, ColumnEnricherModule, WaitersModule];
const providersFor = (queue: RunQueue) => [
  { provide: RUN_QUEUE, useValue: queue },
  {
    provide: DELIVER_RUN,
    useFactory:
      (queues: QueueBus<typeof QUEUES>): DeliverRun =>
      (to, runId) =>
        queues.addMessages(to, [{ runId }]),
    inject: [QueueBus],
  },
  RunAgent,
  RunScript,
  RunPublisher,
  PromptPlans,
  RunLeaseStore,
  StepJournals,
  RunEnding,
  TableBuilder,
  EarlierTables,
  RowSource,
  WebRowSource,
  ConversationRecord,
];

/** Work of another library that shares the queue of runs. */
export interface SharedWork {
  /** Modules that export the handlers. */
  imports: Array<Type<unknown>>;
  handlers: Array<Type<WorkHandler<RunReady>>>;
}

/**
 * Performs runs; those that search the web are handed over to sourcers after planning. Needs the ports of this library, the
 * planner, the language model and the data providers from global modules.
 */
@Module({})
export class RunAgentModule {
  /** @param shared further handlers for messages of this queue, because a process has one consumer per queue */
  static forRoot(shared: SharedWork = { imports: [], handlers: [] }): DynamicModule {
    return {
      module: RunAgentModule,
      imports: [...imports, ...shared.imports],
      providers: [...providersFor('agent-runs'), consumeWork(RunAgent, ...shared.handlers)],
    };
  }
}

/** Performs runs that search the web. Needs the same global modules. */
@Module({ imports, providers: [...providersFor('sourcing-runs'), consumeWork(RunAgent)] })
export class RunSourcerModule {}
