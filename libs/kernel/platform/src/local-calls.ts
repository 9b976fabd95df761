import type { Abstract, DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Lifecycle, createLogger, type Logger } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import type { QueueBus, QueueDefinitions } from '@quarry/queue';
import { type DeclaredCalls, LocalRpcTransport } from '@quarry/rpc';
import { PlatformModule } from './platform.module.js';

export interface LocalCallsOptions {
  /** Domain modules, and modules of the adapters that they need. */
  modules: ReadonlyArray<Type | DynamicModule>;
  /** Calls that their controllers handle. */
  apis?: readonly DeclaredCalls[];
  /** Not closed at the end, like the queues. */
  database: Database;
  queues?: QueueBus<QueueDefinitions>;
  cursorSecret?: string;
  logger?: Logger;
}

/** Calls and providers of some modules in this process. */
export interface LocalCalls {
  rpc: LocalRpcTransport;
  /** @returns a provider of any of the modules */
  get<T>(token: Abstract<T> | symbol): T;
  /** Stops the background work of the libraries, as at the end of a process. */
  close(): Promise<void>;
}

/** Starts libraries without a server: for commands, benchmarks and specs that call them like the edge does. */
export async function openLocalCalls(options: LocalCallsOptions): Promise<LocalCalls> {
  const {
    modules,
    apis = [],
    database,
    queues,
    cursorSecret,
    logger = createLogger('local', 'silent'),
  } = options;
  const life = new Lifecycle((part, error) => logger.error({ err: error, part }, 'a part did not close'));
  const rpc = new LocalRpcTransport(apis);
  const platform = PlatformModule.forRoot({
    life,
    logger,
    database,
    ...(queues ? { queues } : {}),
    ...(cursorSecret === undefined ? {} : { cursorSecret }),
  });
  class LocalModule {}
  const app = await life.open(
    'modules',
    () =>
      NestFactory.createMicroservice(
        { module: LocalModule, imports: [platform, ...modules] },
        { strategy: rpc, logger: false, abortOnError: false },
      ),
    (part) => part.close(),
  );
  rpc.callDirectly(app);
  await app.listen().catch(async (error: unknown) => {
    // Nest starts background work before a call without a handler is detected.
    await life.close();
    throw error;
  });
  return { rpc, get: (token) => app.get(token), close: () => life.close() };
}
