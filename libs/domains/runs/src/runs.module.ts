import { ConfigurableModuleBuilder, Global, Module } from '@nestjs/common';
import type { QUEUES } from '@quarry/dto';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import { Database } from '@quarry/postgres';
import { QueueBus } from '@quarry/queue';
import { ResearchStepsModule } from '@quarry/research';
import { PromptPlans } from './plans/prompt-plans.js';
import { WorkspacePort } from './ports/workspace.port.js';
import { PlanStore } from './plans/plan.store.js';
import { PlansController } from './plans/plans.controller.js';
import { RunReadingStore } from './run-reading.store.js';
import { RunStepStore } from './run-steps.store.js';
import { RunStore } from './run.store.js';
import { RunsController } from './runs.controller.js';
import { WaitersModule } from './waiters.module.js';

interface RunsSettings {
  /** Address of the web application, without a slash at its end. */
  appUrl: string;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<RunsSettings>()
  .setClassMethodName('forRoot')
  .build();

/**
 * Plans, accepts, reads and cancels runs, but performs none. Exports its stores to every module of the process that starts runs.
 * Needs {@link WorkspacePort}, the tables, the planner, the language model and the data providers from global modules.
 */
@Global()
@Module({
  imports: [ResearchStepsModule, CreditLedgerModule, WaitersModule],
  controllers: [RunsController, PlansController],
  providers: [
    {
      provide: RunStore,
      useFactory: (
        database: Database,
        queues: QueueBus<typeof QUEUES>,
        workspaces: WorkspacePort,
        { appUrl }: RunsSettings,
      ) =>
        new RunStore(database, {
          workspaces,
          deliver: (runId) => queues.addMessages('agent-runs', [{ runId }]),
          appUrl,
        }),
      inject: [Database, QueueBus, WorkspacePort, MODULE_OPTIONS_TOKEN],
    },
    RunStepStore,
    RunReadingStore,
    PromptPlans,
    PlanStore,
  ],
  exports: [RunStore, PlanStore],
})
export class RunsModule extends ConfigurableModuleClass {}
