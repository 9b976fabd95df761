import {
  Global,
  Inject,
  Module,
  type DynamicModule,
  type InjectionToken,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CursorSigner, Lifecycle, LOGGER, type Logger, TrafficMetrics, WorkMetrics } from '@quarry/app';
import { Database, ElicitationMailbox, IdempotentRequests } from '@quarry/postgres';
import { QueueBus, type QueueDefinitions } from '@quarry/queue';

export interface PlatformOptions {
  /** Knows when the process stops, and when its stop is forced. */
  life: Lifecycle;
  logger: Logger;
  /** An open one stays open at the end; one that the module opens is closed by it. */
  database: Database | (() => Promise<Database>);
  /** As the database. A process without queues leaves it out. */
  queues?: QueueBus<QueueDefinitions> | ((database: Database) => Promise<QueueBus<QueueDefinitions>>);
  /** Signs page cursors; the same in every process. A process that makes and reads none leaves it out. */
  cursorSecret?: string;
}

/** Token of the resources that the module has opened, and closes. */
const OPENED = Symbol('quarry:opened');

/**
 * Provides every domain module with database, queues, logger, lifecycle of the process, signed cursors, idempotent
 * requests, and metrics of answers and work. Global modules are Nest's last at a shutdown, so that queues and database
 * close when nobody uses them any more.
 */
@Global()
@Module({})
export class PlatformModule implements OnApplicationShutdown {
  static forRoot(options: PlatformOptions): DynamicModule {
    const shared: Provider[] = [
      { provide: LOGGER, useValue: options.logger },
      // Of the process: its parts are opened around the application, so that no hook of Nest may end it.
      { provide: Lifecycle, useValue: options.life },
      ElicitationMailbox,
      IdempotentRequests,
      TrafficMetrics,
      WorkMetrics,
      provideGiven(Database, options.database, []),
      ...(options.queues ? [provideGiven(QueueBus, options.queues, [Database])] : []),
      ...(options.cursorSecret === undefined
        ? []
        : [{ provide: CursorSigner, useValue: cursorSigner(options.cursorSecret) }]),
    ];
    const opened = [
      ...(typeof options.queues === 'function' ? [QueueBus] : []),
      ...(typeof options.database === 'function' ? [Database] : []),
    ];
    return {
      module: PlatformModule,
      imports: [DiscoveryModule],
      providers: [
        ...shared,
        { provide: OPENED, useFactory: (...parts: Closable[]) => parts, inject: opened },
      ],
      exports: shared.map((provider) => ('provide' in provider ? provider.provide : provider)),
    };
  }

  constructor(
    @Inject(OPENED) private readonly opened: readonly Closable[],
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Queues first: what they still do is written to the database. */
  async onApplicationShutdown(): Promise<void> {
    for (const part of this.opened) {
      try {
        await part.close();
      } catch (error) {
        this.logger.error({ err: error }, 'queues or database did not close');
      }
    }
  }
}

interface Closable {
  close(): Promise<unknown>;
}

function provideGiven<T>(
  provide: InjectionToken<T>,
  part: T | ((...parts: never[]) => T | Promise<T>),
  inject: InjectionToken[],
): Provider {
  return typeof part === 'function'
    ? { provide, useFactory: part as (...parts: unknown[]) => T, inject }
    : { provide, useValue: part };
}

/** @param secret the same in every process that makes or reads page cursors */
function cursorSigner(secret: string): CursorSigner {
  return new CursorSigner([{ id: '1', secret }]);
}
