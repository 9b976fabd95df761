import { Module, type DynamicModule } from '@nestjs/common';
import {
  ErasuresModule,
  providersOf,
  RetentionModule,
  retentionOf,
  TablePortsModule,
  type ServiceHost,
} from '@quarry/composition';
import { CreditsApiModule, LedgerCheckModule } from '@quarry/credit-ledger';
import { FastServicesModule } from '@quarry/fast-services';
import { SecretsModule } from '@quarry/platform';
import { ProvidersApiModule } from '@quarry/providers';
import { JobWorkerModule, ServiceJobsApiModule } from '@quarry/service-jobs';
import type { JobsWorkerEnv } from './jobs-worker.env.js';

/** Works on lines; where it is switched on, it also answers the calls for services, credits and erasures. */
@Module({})
export class AppModule {
  /** @throws EnvError when the providers cannot be set up as the environment says */
  static forRoot(env: JobsWorkerEnv, host: ServiceHost): DynamicModule {
    const answering = [
      TablePortsModule,
      ServiceJobsApiModule,
      CreditsApiModule,
      LedgerCheckModule,
      FastServicesModule,
      ProvidersApiModule,
      ErasuresModule,
    ];
    return {
      module: AppModule,
      imports: [
        ...host.modules(),
        SecretsModule.forRoot(env.SECRETS_KEY),
        providersOf(env, host.logger),
        JobWorkerModule.forRoot({
          queueNames: env.WORKER_QUEUES,
          deadlineMaxMs: env.SEARCH_DEADLINE_MS,
          leaseMs: env.LEASE_MS,
          drainMs: env.DRAIN_MS,
        }),
        RetentionModule.forRoot({
          settings: retentionOf(env),
          rooms: env.SERVICES_RPC ? ['lines', 'tables'] : ['lines'],
        }),
        ...(env.SERVICES_RPC ? answering : []),
      ],
    };
  }
}
