import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { QUEUES } from '@quarry/dto';
import {
  CONNECTION_BUDGETS,
  createLogger,
  Lifecycle,
  openReadyDatabase,
  orExit,
  probesOf,
  QueueBus,
  rpcSecurityOf,
  serveOperations,
  TcpRpcServer,
  type ConnectionBudget,
  type Database,
  type Logger,
  type MetricsRegistry,
  type RpcHandlerSet,
} from '@quarry/platform';
import { judgeServer } from './local-database.js';
import { productMetrics } from './product-metrics.js';
import { retentionOf } from './retention.env.js';
import type { ServiceEnv } from './service.env.js';
import type { Queues } from './services-part.js';

function withPoolSize(budget: ConnectionBudget, size: number | undefined): ConnectionBudget {
  return size === undefined ? budget : { ...budget, transactions: size };
}

/** What every service behind the gateway has. */
export interface ServiceProcess {
  life: Lifecycle;
  logger: Logger;
  database: Database;
  queues: Queues;
  /** null when no port for metrics is named. */
  metrics: MetricsRegistry | null;
}

/** Calls in hand get this long to be answered at a stop: within a grace period of 75 s, and more than most may take. */
const DRAIN_MS = 60_000;

/** Processes that have a budget of connections to PostgreSQL. */
export type ServiceName = 'tables' | 'runs-agent' | 'jobs-worker';

/** Opens what every service has, in order; SIGINT and SIGTERM close everything in reverse and end the process. */
export async function openServiceProcess(
  name: ServiceName,
  env: ServiceEnv,
  budget: ConnectionBudget = CONNECTION_BUDGETS[name],
): Promise<ServiceProcess> {
  const logger = createLogger(name, env.LOG_LEVEL);
  const life = new Lifecycle((part, error) => logger.error({ err: error, part }, 'a part did not close'));
  life.closeOnSignals((code) => process.exit(code));
  const queueUrl = env.QUEUE_URL ?? env.DATABASE_URL;
  await judgeServer(env.DATABASE_URL);
  const database = await life.open(
    'database',
    () =>
      openReadyDatabase({
        url: env.DATABASE_URL,
        applicationName: name,
        connections: withPoolSize(budget, env.DATABASE_POOL_SIZE),
        queueUrl,
        logger,
      }),
    (part) => part.close(),
  );
  logger.info(
    { connections: { ...database.connections, ...QueueBus.connectionsOf(queueUrl) } },
    'connections to PostgreSQL at most',
  );
  const onError = (error: Error, queue: string): void =>
    logger.warn({ err: error, queue }, 'a queue reported an error');
  const queues = await life.open(
    'queues',
    () => QueueBus.open(QUEUES, { url: queueUrl, onError }),
    (part) => part.close(),
  );
  const port = env.METRICS_PORT;
  const metrics = port === undefined ? null : productMetrics(name, database, retentionOf(env));
  if (port !== undefined && metrics) {
    await life.open(
      'operations',
      () =>
        serveOperations({
          registry: metrics,
          host: env.METRICS_HOST,
          port,
          ...probesOf(database, () => life.isClosing),
        }),
      (server) => server.close(),
    );
  }
  return { life, logger, database, queues, metrics };
}

@Module({})
class RpcModule {}

/** Answers calls from other services: a Nest microservice over TCP. */
export async function serveRpc(
  env: ServiceEnv,
  { life, logger }: ServiceProcess,
  sets: RpcHandlerSet[],
): Promise<void> {
  const server = new TcpRpcServer({
    host: env.RPC_HOST,
    port: env.RPC_PORT,
    sets,
    security: orExit(() => rpcSecurityOf(env)),
    onRefused: (why, address) => logger.warn({ why, address }, 'a caller was refused'),
    onSurprise: (error, pattern, requestId) =>
      logger.error({ err: error, pattern, requestId }, 'a call ended with a surprise'),
  });
  await life.open(
    'RPC',
    async () => {
      const app = await NestFactory.createMicroservice(RpcModule, { strategy: server, logger: false });
      await app.listen();
      return app;
    },
    async (app) => {
      await server.drain(DRAIN_MS, life.hurry);
      await app.close();
    },
  );
  logger.info({ host: env.RPC_HOST, port: env.RPC_PORT }, 'calls are answered');
}
