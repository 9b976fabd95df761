import { Module } from '@nestjs/common';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import type { QUEUES } from '@quarry/dto';
import { consumeWork } from '@quarry/durable-work';
import { QueueBus } from '@quarry/queue';
import { ResearchStepsModule } from '@quarry/research';
import { ColumnEnricher } from './agent/column-enricher.js';
import { ConversationRecord } from './agent/conversation-record.js';
import { EarlierTables } from './agent/earlier-tables.js';
import { PromptPlans } from './agent/prompt-plans.js';
import { RowSource } from './agent/row-source.js';
import { DELIVER_RUN, RUN_QUEUE, RunAgent, type DeliverRun } from './agent/run-agent.js';
import { RunLeaseStore, type RunQueue } from './execution/run-lease.store.js';
import { RunCleanup } from './agent/run-cleanup.js';
import { RunScript } from './agent/run-script.js';
import { StepJournals } from './agent/step-journal.js';
import { TableBuilder } from './agent/table-builder.js';
import { RunCharges } from './run-charges.js';
import { EnrichmentAgent } from './enrichments/enrichment-agent.js';
import { EnrichmentLeaseStore } from './enrichments/enrichment-lease.store.js';
import { MonitorItems } from './monitors/monitor-items.js';
import { RowSourcer } from './sourcing/row-sourcer.js';
import { SourcingAccount } from './sourcing/sourcing-account.js';
import { WebAccess } from './sourcing/web-access.js';
import { WaitersModule } from './waiters.module.js';

const imports = [CreditLedgerModule, ResearchStepsModule, WaitersModule];
const providersFor = (queue: RunQueue) => [
  { provide: RUN_QUEUE, useValue: queue },
  {
    provide: DELIVER_RUN,
    useFactory:
      (queues: QueueBus<typeof QUEUES>): DeliverRun =>
      (to, runId) =>
        queues.add(to, [{ runId }]),
    inject: [QueueBus],
  },
  ...[RunAgent, RunScript, PromptPlans, RunLeaseStore, StepJournals, RunCleanup],
  ...[
    TableBuilder,
    EarlierTables,
    MonitorItems,
    RowSource,
    RowSourcer,
    SourcingAccount,
    RunCharges,
    ConversationRecord,
    WebAccess,
    ColumnEnricher,
  ],
];

/**
 * Works on runs and enrichments; those that look on the web are handed over once they are planned. Wants the ports of the library, the planner, the language
 * model and the providers of data from global modules.
 */
@Module({
  imports,
  providers: [
    ...providersFor('agent-runs'),
    ...[EnrichmentLeaseStore, EnrichmentAgent],
    consumeWork(RunAgent, EnrichmentAgent),
  ],
})
export class RunAgentModule {}

/** Works on runs that look on the web. Wants the same. */
@Module({ imports, providers: [...providersFor('sourcing-runs'), consumeWork(RunAgent)] })
export class RunSourcerModule {}
