import { Module, type DynamicModule } from '@nestjs/common';
import {
  AgentPortsModule,
  modelOf,
  plannerNamed,
  PlannerModule,
  RetentionModule,
  retentionOf,
  TablePortsModule,
  type ServiceHost,
} from '@quarry/composition';
import { ModelsModule } from '@quarry/models';
import type { RpcTransport } from '@quarry/platform';
import { ProvidersModule } from '@quarry/providers';
import { RunAgentModule, RunsModule } from '@quarry/runs';
import type { RunsAgentEnv } from './runs-agent.env.js';

/** The runs service, and the agents that work on runs where they are switched on. */
@Module({})
export class AppModule {
  static forRoot(env: RunsAgentEnv, host: ServiceHost, rpc: RpcTransport | null): DynamicModule {
    const appUrl = env.APP_URL.replace(/\/+$/, '');
    const agent = [
      ProvidersModule.forRoot({ sandbox: env.SANDBOX }),
      AgentPortsModule.forRoot(rpc),
      RetentionModule.forRoot({ settings: retentionOf(env), rooms: ['runs'] }),
      RunAgentModule,
    ];
    return {
      module: AppModule,
      imports: [
        ...host.modules(),
        TablePortsModule,
        ModelsModule.forRoot(modelOf(env)),
        PlannerModule.forRoot(plannerNamed(env)),
        RunsModule.forRoot({ appUrl }),
        ...(env.AGENT ? agent : []),
      ],
    };
  }
}
