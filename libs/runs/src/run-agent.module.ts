import { Module } from '@nestjs/common';
import { ColumnEnricher } from './agent/column-enricher.js';
import { PromptPlans } from './agent/prompt-plans.js';
import { RowSource } from './agent/row-source.js';
import { RunAgent } from './agent/run-agent.js';
import { RunConsumer } from './agent/run-consumer.js';
import { RunLeaseStore } from './agent/run-lease.store.js';
import { RunScript } from './agent/run-script.js';
import { StepJournals } from './agent/step-journal.js';
import { TableBuilder } from './agent/table-builder.js';

/** Works on runs. Wants the ports of the room, the planner and the providers of data from global modules. */
@Module({
  providers: [
    RunConsumer,
    RunAgent,
    RunScript,
    PromptPlans,
    RunLeaseStore,
    StepJournals,
    TableBuilder,
    RowSource,
    ColumnEnricher,
  ],
})
export class RunAgentModule {}
