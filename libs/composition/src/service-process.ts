import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { QUEUES } from '@quarry/dto';
import {
  createLogger,
  Lifecycle,
  QueueBus,
  serveOperations,
  systemCtx,
  TcpRpcServer,
  type Database,
  type Logger,
  type MetricsRegistry,
  type RpcHandlerSet,
} from '@quarry/platform';
import { migratedDatabase } from './local-database.js';
import { productMetrics } from './product-metrics.js';
import type { ServiceEnv } from './service.env.js';
import type { Queues } from './services-part.js';

/** What every service behind the gateway has. */
export interface ServiceProcess {
  life: Lifecycle;
  logger: Logger;
  database: Database;
  queues: Queues;
  /** null when no port for metrics is named. */
  metrics: MetricsRegistry | null;
}

/** Calls in hand get this long to be answered at a stop. */
const DRAIN_MS = 10_000;

/** Opens what every service has, in order; SIGINT and SIGTERM close everything in reverse and end the process. */
export async function openServiceProcess(name: string, env: ServiceEnv): Promise<ServiceProcess> {
  const logger = createLogger(name, env.LOG_LEVEL);
  const life = new Lifecycle((part, error) => logger.error({ err: error, part }, 'a part did not close'));
  life.closeOnSignals((code) => process.exit(code));
  const database = await life.open(
    'database',
    () => migratedDatabase(env.DATABASE_URL, name),
    (part) => part.close(),
  );
  const onError = (error: Error, queue: string): void =>
    logger.warn({ err: error, queue }, 'a queue reported an error');
  const queues = await life.open(
    'queues',
    () => QueueBus.open(QUEUES, { url: env.QUEUE_URL ?? env.DATABASE_URL, onError }),
    (part) => part.close(),
  );
  const port = env.METRICS_PORT;
  const metrics = port === undefined ? null : productMetrics(name, database);
  if (port !== undefined && metrics) {
    const ready = async (): Promise<void> => void (await database.query(systemCtx('readiness'), 'SELECT 1'));
    await life.open(
      'operations',
      () => serveOperations({ registry: metrics, host: env.METRICS_HOST, port, ready }),
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
      await server.drain(DRAIN_MS);
      await app.close();
    },
  );
  logger.info({ host: env.RPC_HOST, port: env.RPC_PORT }, 'calls are answered');
}
