import { Module, type DynamicModule } from '@nestjs/common';
import {
  AgentPortsModule,
  GoPortsModule,
  IdentityPortsModule,
  outreachNetworkOf,
  PRODUCT_ERASURE,
  RetentionModule,
  retentionOf,
  TablePortsModule,
  webhookNetworkOf,
  type ServiceHost,
} from '@quarry/composition';
import { modelOf, ModelsModule, PlannerModule } from '@quarry/language-models';
import { RulesPlanner } from '@quarry/rules-planner';
import { CreditsApiModule, LedgerCheckModule } from '@quarry/credit-ledger';
import { FastServicesModule } from '@quarry/fast-services';
import { GoApiModule, GoWorkerModule } from '@quarry/research';
import { IdentityApiModule } from '@quarry/identity';
import {
  OutreachApiModule,
  OutreachModule,
  OutreachReceiveModule,
  OutreachSendModule,
} from '@quarry/outreach';
import { SecretsModule } from '@quarry/app';
import { ErasuresModule } from '@quarry/privacy';
import type { RpcTransport } from '@quarry/rpc';
import { ProvidersApiModule, providersOf } from '@quarry/providers';
import { RunSourcerModule } from '@quarry/runs';
import { JobWorkerModule, JOB_QUEUES, ServiceJobsApiModule } from '@quarry/service-jobs';
import {
  DestinationsApiModule,
  PushWorkerModule,
  WebhooksApiModule,
  WebhooksModule,
  WebhookWorkerModule,
} from '@quarry/webhooks';
import type { JobsWorkerEnv } from './jobs-worker.env.js';

/**
 * Works on lines, Go runs, runs that search the web, webhooks, pushes and mail. If switched on, it also answers the calls for
 * services, Go, webhooks, destinations, outreach, credits and erasures.
 */
@Module({})
export class AppModule {
  /**
   * @param rpc transport to the services side; null when it is not configured
   * @throws EnvError when the providers cannot be configured as the environment says
   */
  static async forRoot(
    env: JobsWorkerEnv,
    host: ServiceHost,
    rpc: RpcTransport | null,
  ): Promise<DynamicModule> {
    // Runs arrive here with their plan, so the module needs a planner but never calls it.
    const sourcing = [
      AgentPortsModule.forRoot(rpc),
      PlannerModule.forRoot('rules', new RulesPlanner()),
      RunSourcerModule,
    ];
    const answering = [
      ServiceJobsApiModule,
      CreditsApiModule,
      LedgerCheckModule,
      FastServicesModule,
      ProvidersApiModule,
      GoApiModule,
      WebhooksApiModule,
      DestinationsApiModule,
      OutreachApiModule,
      ErasuresModule.forRoot(PRODUCT_ERASURE),
      IdentityPortsModule,
      IdentityApiModule,
    ];
    const model = modelOf(env);
    const sources = env.WORKER_QUEUES.includes('sourcing-runs');
    const sends = env.WORKER_QUEUES.includes('webhook-delivery');
    const pushes = env.WORKER_QUEUES.includes('destination-push');
    const sendsMail = env.WORKER_QUEUES.includes('outreach-send');
    const receivesMail = env.WORKER_QUEUES.includes('outreach-receive');
    const researches = env.WORKER_QUEUES.includes('go-runs');
    return {
      module: AppModule,
      imports: [
        ...host.modules(),
        SecretsModule.forRoot(env.ENCRYPTION_KEYS),
        await providersOf(env, host.logger, model),
        ModelsModule.forRoot(model, host.logger),
        WebhooksModule.forRoot(webhookNetworkOf(env)),
        OutreachModule.forRoot(outreachNetworkOf(env, env.BASE_URL)),
        JobWorkerModule.forRoot({
          queueNames: JOB_QUEUES.filter((queue) => env.WORKER_QUEUES.includes(queue)),
          deadlineMaxMs: env.SEARCH_DEADLINE_MS,
          leaseMs: env.LEASE_MS,
          drainMs: env.DRAIN_MS,
        }),
        RetentionModule.forRoot({
          settings: retentionOf(env),
          domains: env.SERVICES_RPC ? ['lines', 'tables', 'go'] : ['lines'],
        }),
        ...(researches ? [GoPortsModule, GoWorkerModule] : []),
        ...(sends ? [WebhookWorkerModule] : []),
        ...(pushes ? [PushWorkerModule] : []),
        ...(sendsMail ? [OutreachSendModule] : []),
        ...(receivesMail ? [OutreachReceiveModule] : []),
        ...(sources ? sourcing : []),
        ...(sources || pushes || sendsMail || env.SERVICES_RPC ? [TablePortsModule] : []),
        ...(env.SERVICES_RPC ? answering : []),
      ],
    };
  }
}
