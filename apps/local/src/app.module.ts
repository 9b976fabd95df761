import { Module, type DynamicModule } from '@nestjs/common';
import {
  AgentPortsModule,
  GoPortsModule,
  IdentityPortsModule,
  operationsOf,
  outreachNetworkOf,
  PRODUCT_ERASURE,
  RetentionModule,
  retentionOf,
  RunReaderModule,
  TablePortsModule,
  webhookNetworkOf,
} from '@quarry/composition';
import { type modelOf, ModelsModule, PlannerModule, plannerNamed } from '@quarry/language-models';
import { RulesPlanner } from '@quarry/rules-planner';
import { CreditsApiModule, LedgerCheckModule } from '@quarry/credit-ledger';
import {
  DESTINATIONS_RPC,
  OUTREACH_RPC,
  ERASURES_RPC,
  FAST_SERVICES_RPC,
  GO_RPC,
  IDENTITY_RPC,
  MONITORS_RPC,
  PROVIDERS_RPC,
  RUNS_RPC,
  SERVICES_RPC,
  TABLES_RPC,
  WEBHOOKS_RPC,
  type QUEUES,
} from '@quarry/dto';
import { HttpEdgeModule } from '@quarry/controllers';
import { ENRICHMENT_WORK, EnrichmentsModule } from '@quarry/enrichments';
import { GoApiModule, GoWorkerModule } from '@quarry/research';
import { IdentityApiModule } from '@quarry/identity';
import { FastServicesModule } from '@quarry/fast-services';
import { MonitorSchedulerModule, MonitorsModule } from '@quarry/monitors';
import {
  OutreachApiModule,
  OutreachModule,
  OutreachReceiveModule,
  OutreachSendModule,
} from '@quarry/outreach';
import { SecretsModule, type Lifecycle, type Logger } from '@quarry/app';
import { PlatformModule } from '@quarry/platform';
import type { Database } from '@quarry/postgres';
import type { QueueBus } from '@quarry/queue';
import type { DeclaredCalls, RpcTransport } from '@quarry/rpc';
import { ErasuresModule } from '@quarry/privacy';
import { ProvidersApiModule } from '@quarry/providers';
import { RunAgentModule, RunSourcerModule, RunsModule } from '@quarry/runs';
import { JOB_QUEUES, JobWorkerModule, ServiceJobsApiModule } from '@quarry/service-jobs';
import { TablesModule } from '@quarry/tables';
import {
  DestinationsApiModule,
  PushWorkerModule,
  WebhooksApiModule,
  WebhooksModule,
  WebhookWorkerModule,
} from '@quarry/webhooks';
import type { LocalEnv } from './local.env.js';

/** Milliseconds that lines in progress get at Ctrl-C before they are handed back; the next start continues them. */
const DRAIN_MS = 2000;

/** Calls that the product's services answer. */
export const APIS: readonly DeclaredCalls[] = [
  TABLES_RPC,
  RUNS_RPC,
  MONITORS_RPC,
  SERVICES_RPC,
  FAST_SERVICES_RPC,
  GO_RPC,
  WEBHOOKS_RPC,
  DESTINATIONS_RPC,
  OUTREACH_RPC,
  PROVIDERS_RPC,
  ERASURES_RPC,
  IDENTITY_RPC,
];

/** Parts of the application; opened before it and closed after it. */
export interface LocalParts {
  life: Lifecycle;
  logger: Logger;
  database: Database;
  queues: QueueBus<typeof QUEUES>;
  queueUrl: string;
  cursorSecret: string;
  /** Secrets that seal organisations' vendor keys; the first one seals. */
  secretsKeys: readonly string[];
  /** Transport from the edge to the controllers of this process. */
  rpc: RpcTransport;
  /** Address of the web application, without a trailing slash. */
  appUrl: string;
  /** Address of the API for clients. */
  baseUrl: string;
  /** Module of the providers that answer services. */
  providers: DynamicModule;
  /** The language model; null when none is configured. */
  model: ReturnType<typeof modelOf>;
}

/** The modules of all services, and the edge in front of them, in one process. */
@Module({})
export class AppModule {
  static forRoot(env: LocalEnv, parts: LocalParts): DynamicModule {
    const { life, logger, database, queues, cursorSecret, appUrl, queueUrl, rpc, providers } = parts;
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot({ life, logger, database, queues, cursorSecret }),
        SecretsModule.forRoot(parts.secretsKeys),
        providers,
        ...operationsOf({
          app: 'local',
          host: '127.0.0.1',
          port: env.METRICS_PORT,
          retention: retentionOf(env),
        }),
        TablePortsModule,
        RunReaderModule,
        AgentPortsModule.forRoot(rpc),
        ServiceJobsApiModule,
        CreditsApiModule,
        LedgerCheckModule,
        FastServicesModule,
        ProvidersApiModule,
        GoPortsModule,
        GoApiModule,
        WebhooksModule.forRoot(webhookNetworkOf(env)),
        WebhooksApiModule,
        DestinationsApiModule,
        OutreachModule.forRoot(outreachNetworkOf(env, parts.baseUrl)),
        OutreachApiModule,
        ErasuresModule.forRoot(PRODUCT_ERASURE),
        IdentityPortsModule,
        IdentityApiModule,
        TablesModule.forRoot({ appUrl }),
        ModelsModule.forRoot(parts.model, logger),
        PlannerModule.forRoot(plannerNamed(env), new RulesPlanner()),
        RunsModule.forRoot({ appUrl }),
        MonitorsModule,
        MonitorSchedulerModule,
        EnrichmentsModule,
        RetentionModule.forRoot({ settings: retentionOf(env), domains: ['lines', 'runs', 'tables', 'go'] }),
        // Nest shuts modules down in reverse order: agents hand back their runs before workers hand back their lines.
        JobWorkerModule.forRoot({ queueNames: JOB_QUEUES, drainMs: DRAIN_MS }),
        GoWorkerModule,
        WebhookWorkerModule,
        PushWorkerModule,
        OutreachSendModule,
        OutreachReceiveModule,
        RunSourcerModule,
        RunAgentModule.forRoot(ENRICHMENT_WORK),
        HttpEdgeModule.forRoot({
          rpc,
          redisUrl: queueUrl.startsWith('redis') ? queueUrl : null,
          rateLimitScale: env.RATE_LIMIT_SCALE,
          goHeldSeconds: env.GO_SYNC_WAIT_SECONDS,
          trustedProxies: env.TRUSTED_PROXIES,
          allowedOrigins: env.MCP_ORIGINS,
          toolSecrets: [`tools ${cursorSecret}`],
          appUrl,
          webFolder: env.WEB_DIR,
        }),
      ],
    };
  }
}
