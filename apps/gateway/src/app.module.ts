import { randomBytes } from 'node:crypto';
import { Module, type DynamicModule } from '@nestjs/common';
import { HttpEdgeModule } from '@quarry/controllers';
import { createMetrics, type Lifecycle, type Logger } from '@quarry/app';
import { OperationsModule, PlatformModule } from '@quarry/platform';
import { CONNECTION_BUDGETS, openReadyDatabase, ROLES, type Database } from '@quarry/postgres';
import type { RpcTransport } from '@quarry/rpc';
import type { GatewayEnv } from './gateway.env.js';

/** Parts of the application in addition to its environment; opened before it and closed after it. */
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
          app: 'gateway',
          host: env.METRICS_HOST,
          port: env.METRICS_PORT,
          inject: [],
          registry: () => createMetrics('gateway'),
        }),
        HttpEdgeModule.forRoot({
          rpc,
          redisUrl: env.REDIS_URL ?? null,
          rateLimitScale: env.RATE_LIMIT_SCALE,
          goHeldSeconds: env.GO_SYNC_WAIT_SECONDS,
          trustedProxies: env.TRUSTED_PROXIES,
          allowedOrigins: env.MCP_ORIGINS,
          toolSecrets: toolSecretsOf(env),
          appUrl: env.APP_URL,
          webFolder: env.WEB_DIR,
        }),
      ],
    };
  }
}

/**
 * Returns the secrets of tools. Gateways with common call secrets accept tokens of each other. Without common secrets, a form
 * that was requested here and answered elsewhere is refused with -32602, and a cursor with invalid_cursor.
 */
function toolSecretsOf({ RPC_SECRETS }: GatewayEnv): [string, ...string[]] {
  const [first, ...others] = RPC_SECRETS.map((secret) => `tools ${secret}`);
  return [first ?? randomBytes(32).toString('hex'), ...others];
}

async function openDatabase(env: GatewayEnv, logger: Logger): Promise<Database> {
  const database = await openReadyDatabase({
    url: env.DATABASE_URL,
    applicationName: 'gateway',
    connections: CONNECTION_BUDGETS.gateway,
    needs: ROLES.serving,
    logger,
  });
  logger.info({ connections: database.connections }, 'connections to PostgreSQL at most');
  return database;
}
