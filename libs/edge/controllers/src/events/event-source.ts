import { EventLog } from '@quarry/events';
import type { IdentityStore, SessionFinder } from '@quarry/identity';
import type { Database } from '@quarry/postgres';
import type { FindAdmitted, StreamLimits } from './event-streams.js';

/** Source of events, and who may listen to them. */
export interface EventSource {
  log: EventLog;
  findAdmitted: FindAdmitted;
  /** Those of the contract when left out. */
  limits?: StreamLimits;
}

/** @returns the event log of the database of keys and sessions */
export function eventSource(
  database: Database,
  identity: IdentityStore,
  sessions: SessionFinder,
): EventSource {
  return {
    log: new EventLog(database),
    findAdmitted: (kind, ids) => (kind === 'key' ? identity.findOpenKeys(ids) : sessions.openAmong(ids)),
  };
}
