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
  /** Signals when the process stops, and when its shutdown is forced. */
  life: Lifecycle;
  logger: Logger;
  /** An instance is not closed by the module; one that the module opens is. */
  database: Database | (() => Promise<Database>);
  /** Like `database`. Omitted in a process without queues. */
  queues?: QueueBus<QueueDefinitions> | ((database: Database) => Promise<QueueBus<QueueDefinitions>>);
  /** Secret that signs page cursors; the same in every process. Omitted in a process without cursors. */
  cursorSecret?: string;
}

/** Injection token of the resources that the module has opened, and closes. */
const OPENED = Symbol('quarry:opened');

/**
 * Provides every domain module with database, queues, logger, lifecycle of the process, signed cursors, idempotent
 * requests, and metrics of responses and work. Nest shuts global modules down last, so queues and database close when
 * nothing uses them any more.
 */
@Global()
@Module({})
export class PlatformModule implements OnApplicationShutdown {
  static forRoot(options: PlatformOptions): DynamicModule {
    const shared: Provider[] = [
      { provide: LOGGER, useValue: options.logger },
      // Belongs to the process: its parts are opened around the application, so no hook of Nest may end it.
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

  /** Closes the queues first, because their last work is written to the database. */
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

/** @param secret the same in every process that creates or reads page cursors */
function cursorSigner(secret: string): CursorSigner {
  return new CursorSigner([{ id: '1', secret }]);
}
