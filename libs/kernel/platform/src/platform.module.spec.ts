import { describe, expect, it } from '@jest/globals';
import {
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { openLocalCalls } from './local-calls.js';
import { Lifecycle, createLogger } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { QueueBus, type QueueDefinitions } from '@quarry/queue';
import { PlatformModule } from './platform.module.js';
import { NestFactory } from '@nestjs/core';

const logger = createLogger('spec', 'silent');

/** Creates a fake resource that records when it is closed, and may fail. */
function closable(what: string, ended: string[], fault?: Error) {
  const close = async () => {
    ended.push(what);
    if (fault) throw fault;
  };
  return { close } as unknown;
}

describe('shared parts of a process', () => {
  it('close after every library has handed back and closed, queues before the database, whatever fails', async () => {
    const ended: string[] = [];
    const life = new Lifecycle(() => undefined);
    life.stopping.addEventListener('abort', () => ended.push('told'));

    @Injectable()
    class Parts implements BeforeApplicationShutdown, OnApplicationShutdown {
      constructor(
        readonly database: Database,
        readonly queues: QueueBus<QueueDefinitions>,
      ) {}

      beforeApplicationShutdown(): Promise<void> {
        ended.push('handed back');
        return Promise.reject(new Error('of the room'));
      }

      onApplicationShutdown(): void {
        ended.push('room');
      }
    }
    @Module({ providers: [Parts] })
    class PartsModule {}
    class AppModule {}
    const platform = PlatformModule.forRoot({
      life,
      logger,
      database: async () => closable('database', ended) as Database,
      queues: () =>
        Promise.resolve(closable('queues', ended, new Error('of the queues')) as QueueBus<QueueDefinitions>),
    });
    await life.open(
      'application',
      () =>
        NestFactory.createApplicationContext(
          { module: AppModule, imports: [platform, PartsModule] },
          { logger: false },
        ),
      (app) => app.close(),
    );
    await life.close();
    expect(ended).toEqual(['told', 'handed back', 'room', 'queues', 'database']);
  });

  it('stay open if they were open before', async () => {
    const ended: string[] = [];
    const database = closable('database', ended) as Database;
    const { get, close } = await openLocalCalls({ database, modules: [] });
    expect(get(Database)).toBe(database);
    await close();
    expect(ended).toEqual([]);
  });
});
