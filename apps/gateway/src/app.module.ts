import { Module, type DynamicModule } from '@nestjs/common';
import { HttpEdgeModule } from '@quarry/edge';
import {
  CONNECTION_BUDGETS,
  createMetrics,
  openReadyDatabase,
  OperationsModule,
  PlatformModule,
  type Database,
  type Lifecycle,
  type Logger,
  type RpcTransport,
} from '@quarry/platform';
import type { GatewayEnv } from './gateway.env.js';

/** What the application is made of beside its environment; opened before it and closed after it. */
export interface GatewayParts {
  life: Lifecycle;
  logger: Logger;
  rpc: RpcTransport;
}

/** The public edge in front of the services. */
@Module({})
export class AppModule {
  static forRoot(env: GatewayEnv, { life, logger, rpc }: GatewayParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PlatformModule.forRoot({ life, logger, database: () => openDatabase(env, logger) }),
        OperationsModule.forRoot({
          host: env.METRICS_HOST,
          port: env.METRICS_PORT,
          inject: [],
          registry: () => createMetrics('gateway'),
        }),
        HttpEdgeModule.forRoot({
          rpc,
          redisUrl: env.REDIS_URL ?? null,
          rateLimitScale: env.RATE_LIMIT_SCALE,
          trustedProxies: env.TRUSTED_PROXIES,
        }),
      ],
    };
  }
}

async function openDatabase(env: GatewayEnv, logger: Logger): Promise<Database> {
  const database = await openReadyDatabase({
    url: env.DATABASE_URL,
    applicationName: 'gateway',
    connections: CONNECTION_BUDGETS.gateway,
    logger,
  });
  logger.info({ connections: database.connections }, 'connections to PostgreSQL at most');
  return database;
}
