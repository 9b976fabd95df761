import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import type { QUEUES } from '@quarry/dto';
import { CreditLedgerModule } from '@quarry/credit-ledger';
import { Database } from '@quarry/postgres';
import { QueueBus } from '@quarry/queue';
import { ResearchStepsModule } from '@quarry/research';
import { EnrichmentStore } from './enrichments/enrichment.store.js';
import { EnrichmentsController } from './enrichments/enrichments.controller.js';
import { MonitorDates } from './monitors/monitor-dates.js';
import { MonitorScheduler } from './monitors/monitor-scheduler.js';
import { MonitorStore } from './monitors/monitor.store.js';
import { MonitorsController } from './monitors/monitors.controller.js';
import { PromptPlans } from './agent/prompt-plans.js';
import { WorkspacePort } from './ports/workspace.port.js';
import { PlanStore } from './plan.store.js';
import { PlansController } from './plans.controller.js';
import { RunReadingStore } from './run-reading.store.js';
import { RunStepStore } from './run-steps.store.js';
import { RunStore } from './run.store.js';
import { RunsController } from './runs.controller.js';
import { WebAccess } from './sourcing/web-access.js';
import { WaitersModule } from './waiters.module.js';

interface RunsSettings {
  /** Address of the web application, without a slash at its end. */
  appUrl: string;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<RunsSettings>()
  .setClassMethodName('forRoot')
  .build();

/**
 * Plans, accepts, reads and cancels runs; works on none; begins what monitors are due for. Wants {@link WorkspacePort}, the
 * tables, the planner, the language model and the providers of data from global modules.
 */
@Module({
  imports: [ResearchStepsModule, CreditLedgerModule, WaitersModule],
  controllers: [RunsController, PlansController, MonitorsController, EnrichmentsController],
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
          deliver: (runId) => queues.add('agent-runs', [{ runId }]),
          appUrl,
        }),
      inject: [Database, QueueBus, WorkspacePort, MODULE_OPTIONS_TOKEN],
    },
    RunStepStore,
    RunReadingStore,
    EnrichmentStore,
    WebAccess,
    PromptPlans,
    PlanStore,
    MonitorStore,
    MonitorDates,
    MonitorScheduler,
  ],
})
export class RunsModule extends ConfigurableModuleClass {}
