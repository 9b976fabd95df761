import { Module, type DynamicModule } from '@nestjs/common';
import {
  AgentPortsModule,
  RetentionModule,
  retentionOf,
  TablePortsModule,
  type ServiceHost,
} from '@quarry/composition';
import { modelOf, ModelsModule, PlannerModule, plannerNamed } from '@quarry/language-models';
import { RulesPlanner } from '@quarry/rules-planner';
import { ENRICHMENT_WORK, EnrichmentsModule } from '@quarry/enrichments';
import { MonitorSchedulerModule, MonitorsModule } from '@quarry/monitors';
import { providersOf } from '@quarry/providers';
import { SecretsModule } from '@quarry/app';
import type { RpcTransport } from '@quarry/rpc';
import { RunAgentModule, RunsModule } from '@quarry/runs';
import type { RunsAgentEnv } from './runs-agent.env.js';

/** The runs service, and the agents that work on runs if they are switched on. */
@Module({})
export class AppModule {
  /**
   * @param rpc transport to the services side; null when it is not configured
   * @throws EnvError when the providers cannot be configured as the environment says
   */
  static async forRoot(
    env: RunsAgentEnv,
    host: ServiceHost,
    rpc: RpcTransport | null,
  ): Promise<DynamicModule> {
    const appUrl = env.APP_URL.replace(/\/+$/, '');
    const model = modelOf(env);
    const agent = [
      AgentPortsModule.forRoot(rpc),
      RetentionModule.forRoot({ settings: retentionOf(env), domains: ['runs'] }),
      RunAgentModule.forRoot(ENRICHMENT_WORK),
      MonitorSchedulerModule,
    ];
    return {
      module: AppModule,
      imports: [
        ...host.modules(),
        TablePortsModule,
        SecretsModule.forRoot(env.ENCRYPTION_KEYS),
        // The providers that search and read the web determine the possible plans of a prompt; pages are read elsewhere.
        await providersOf(env, host.logger),
        ModelsModule.forRoot(model, host.logger),
        PlannerModule.forRoot(plannerNamed(env), new RulesPlanner()),
        RunsModule.forRoot({ appUrl }),
        MonitorsModule,
        EnrichmentsModule,
        ...(env.AGENT ? agent : []),
      ],
    };
  }
}
