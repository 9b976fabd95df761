import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { QUEUES } from '@quarry/dto';
import {
  createLogger,
  IdleMemory,
  Lifecycle,
  NestLogger,
  openTracing,
  orExit,
  startOrExit,
  TrafficMetrics,
  type Logger,
} from '@quarry/app';
import { readKnownSchema } from '@quarry/installation';
import { PlatformModule } from '@quarry/platform';
import {
  CONNECTION_BUDGETS,
  openReadyDatabase,
  ROLES,
  type ConnectionBudget,
  type Database,
} from '@quarry/postgres';
import { missingQueueSchema, QueueBus } from '@quarry/queue';
import {
  reportRefusedCallers,
  rpcSecurityOf,
  TcpRpcServer,
  TcpRpcTransport,
  type DeclaredCalls,
  type RpcTransport,
} from '@quarry/rpc';
import { operationsOf } from './operations.js';
import { retentionOf } from './retention.env.js';
import type { ServiceEnv } from './service.env.js';

/** Time for open calls to finish at a shutdown: within a grace period of 75 s, and longer than most calls may take. */
const DRAIN_MS = 60_000;

/** Processes that have a budget of PostgreSQL connections. */
export type ServiceName = 'tables' | 'runs-agent' | 'jobs-worker';

/**
 * Base of every service behind the gateway. SIGINT, SIGTERM and SIGHUP close its application, through Nest's
 * shutdown hooks, and end the process.
 */
export class ServiceHost {
  readonly logger: Logger;
  readonly life: Lifecycle;

  /** @param options.works false for a process that only serves calls, with the rights of an organisation */
  constructor(
    private readonly name: ServiceName,
    private readonly env: ServiceEnv,
    private readonly options: { budget?: ConnectionBudget; works?: boolean } = {},
  ) {
    this.logger = createLogger(name, env.LOG_LEVEL);
    this.life = new Lifecycle((part, error) =>
      this.logger.error({ err: error, part }, 'a part did not close'),
    );
    this.life.closeOnSignals((code) => process.exit(code));
  }

  /** @returns the modules of every service: database, queues, metrics and probes */
  modules(): DynamicModule[] {
    const { env, life, logger } = this;
    const queueUrl = env.QUEUE_URL ?? env.DATABASE_URL;
    const onError = (error: Error, queue: string): void =>
      logger.warn({ err: error, queue }, 'a queue reported an error');
    return [
      PlatformModule.forRoot({
        life,
        logger,
        cursorSecret: env.CURSOR_SECRET,
        database: () => this.openDatabase(queueUrl),
        queues: () => QueueBus.open(QUEUES, { url: queueUrl, onError }),
      }),
      ...operationsOf({
        app: this.name,
        host: env.METRICS_HOST,
        port: env.METRICS_PORT,
        retention: retentionOf(env),
      }),
    ];
  }

  /**
   * Opens the transport to other services.
   * @param upstreams addresses by the prefix of the calls that are handled there, such as `services.`
   */
  async callsTo(upstreams: Record<string, string>): Promise<RpcTransport> {
    const security = await orExit(() => rpcSecurityOf(this.env));
    return this.life.open(
      'rpc',
      () => new TcpRpcTransport({ security, upstreams }),
      (part) => part.close(),
    );
  }

  /** @returns the transport to the services side; null if the environment names none */
  async servicesRpc({ SERVICES_RPC_URL: url }: { SERVICES_RPC_URL?: string }): Promise<RpcTransport | null> {
    return url === undefined ? null : this.callsTo({ 'services.': url });
  }

  /** Serves calls from other services over TCP. */
  async serve(module: DynamicModule, apis: readonly DeclaredCalls[]): Promise<void> {
    const { env, life, logger } = this;
    let traffic: TrafficMetrics | null = null;
    const strategy = new TcpRpcServer({
      host: env.RPC_HOST,
      port: env.RPC_PORT,
      apis,
      security: await orExit(() => rpcSecurityOf(env)),
      drainMs: DRAIN_MS,
      force: life.force,
      onRefused: reportRefusedCallers(logger, (stage) => traffic?.countRefusal(stage)),
      onUnexpectedError: (error, pattern, requestId) =>
        logger.error({ err: error, pattern, requestId }, 'a call ended with an unexpected error'),
    });
    await startOrExit(this, async () => {
      await this.watchParts();
      const app = await life.open(
        this.name,
        () => NestFactory.createMicroservice(module, { strategy, ...this.nestOptions() }),
        (part) => part.close(),
      );
      traffic = app.get(TrafficMetrics);
      strategy.callDirectly(app);
      await app.listen();
    });
    logger.info({ host: env.RPC_HOST, port: env.RPC_PORT }, 'calls are answered');
  }

  /** Starts a service that serves no calls. */
  async work(module: DynamicModule): Promise<void> {
    await startOrExit(this, async () => {
      await this.watchParts();
      await this.life.open(
        this.name,
        () => NestFactory.createApplicationContext(module, this.nestOptions()),
        (part) => part.close(),
      );
    });
  }

  private async watchParts(): Promise<void> {
    await openTracing(this.env, { app: this.name, life: this.life, logger: this.logger });
    new IdleMemory().start();
  }

  private nestOptions(): { logger: NestLogger; abortOnError: false } {
    return { logger: new NestLogger(this.logger), abortOnError: false };
  }

  private async openDatabase(queueUrl: string): Promise<Database> {
    const { env, logger } = this;
    const { budget = CONNECTION_BUDGETS[this.name], works = true } = this.options;
    const size = env.DATABASE_POOL_SIZE;
    const database = await openReadyDatabase({
      url: env.DATABASE_URL,
      applicationName: this.name,
      connections: size === undefined ? budget : { ...budget, transactions: size },
      readSchema: (client) => readKnownSchema(client, env.DATABASE_URL),
      missingElsewhere: () => missingQueueSchema(queueUrl),
      needs: works ? ROLES.working : ROLES.serving,
      logger,
    });
    logger.info(
      { connections: { ...database.connections, ...QueueBus.connectionsOf(queueUrl) } },
      'connections to PostgreSQL at most',
    );
    return database;
  }
}
