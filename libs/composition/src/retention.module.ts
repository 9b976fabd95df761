import { Module, type DynamicModule } from '@nestjs/common';
import {
  Database,
  IdempotentRequests,
  LOGGER,
  RetentionTask,
  systemCtx,
  type Logger,
  type RetentionRule,
} from '@quarry/platform';
import { goRetention } from '@quarry/go';
import { runRetention } from '@quarry/runs';
import { lineRetention } from '@quarry/service-jobs';
import { tableRetention } from '@quarry/tables';
import type { RetentionSettings } from './retention.env.js';

/** Rooms that keep things for a while, each in the process that owns it. */
export type KeepingRoom = 'lines' | 'runs' | 'tables' | 'go';

/** Removes what the rooms of this process have kept for long enough. Any number of processes may do so. */
@Module({})
export class RetentionModule {
  static forRoot(options: { settings: RetentionSettings; rooms: readonly KeepingRoom[] }): DynamicModule {
    return {
      module: RetentionModule,
      providers: [
        {
          provide: RetentionTask,
          useFactory: (database: Database, requests: IdempotentRequests, logger: Logger) =>
            new RetentionTask(rulesOf(database, requests, options), logger),
          inject: [Database, IdempotentRequests, LOGGER],
        },
      ],
    };
  }
}

function rulesOf(
  database: Database,
  requests: IdempotentRequests,
  { settings, rooms }: Parameters<typeof RetentionModule.forRoot>[0],
): RetentionRule[] {
  const byRoom: Record<KeepingRoom, () => RetentionRule[]> = {
    lines: () => lineRetention(database, { endedDays: settings.endedDays }),
    runs: () => runRetention(database, { detailDays: settings.runDetailDays }),
    go: () => goRetention(database),
    tables: () => [
      ...tableRetention(database, { archivedDays: settings.archivedDays }),
      requestKeys(requests),
    ],
  };
  return rooms.flatMap((room) => byRoom[room]());
}

function requestKeys(requests: IdempotentRequests): RetentionRule {
  return {
    what: 'answers to keyed requests',
    removeSome: async () => {
      await requests.deleteOld(systemCtx('retention'));
      return false;
    },
  };
}
