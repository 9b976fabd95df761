import {
  IdempotentRequests,
  RetentionTask,
  systemCtx,
  type Database,
  type Logger,
  type RetentionRule,
} from '@quarry/platform';
import { runRetention } from '@quarry/runs';
import { lineRetention } from '@quarry/service-jobs';
import { tableRetention } from '@quarry/tables';
import type { RetentionSettings } from './retention.env.js';

/** Rooms that keep things for a while, each in the process that owns it. */
export type KeepingRoom = 'lines' | 'runs' | 'tables';

/** Removes what the rooms of this process have kept for long enough. Any number of processes may do so. */
export function retentionPart(options: {
  database: Database;
  logger: Logger;
  settings: RetentionSettings;
  rooms: readonly KeepingRoom[];
}): { close(): Promise<void> } {
  const { database, logger, settings, rooms } = options;
  const rulesOf: Record<KeepingRoom, () => RetentionRule[]> = {
    lines: () => lineRetention(database, { endedDays: settings.endedDays }),
    runs: () => runRetention(database, { detailDays: settings.runDetailDays }),
    tables: () => [
      ...tableRetention(database, { archivedDays: settings.archivedDays }),
      requestKeys(database),
    ],
  };
  const task = new RetentionTask(
    rooms.flatMap((room) => rulesOf[room]()),
    logger,
  );
  task.start();
  return { close: () => task.stop() };
}

function requestKeys(database: Database): RetentionRule {
  const requests = new IdempotentRequests(database);
  return {
    what: 'answers to keyed requests',
    removeSome: async () => {
      await requests.deleteOld(systemCtx('retention'));
      return false;
    },
  };
}
