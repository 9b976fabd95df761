import { EventLog } from '@quarry/events';
import type { IdentityStore, SessionFinder } from '@quarry/identity';
import type { Database } from '@quarry/postgres';
import type { FindAdmitted, StreamLimits } from './event-streams.js';

/** Source of events, with the permission to listen to them. */
export interface EventSource {
  log: EventLog;
  findAdmitted: FindAdmitted;
  /** Those of the contract when left out. */
  limits?: StreamLimits;
}

/** @returns the log of the database that the gateway reads keys and sessions from */
export function eventSource(
  database: Database,
  identity: IdentityStore,
  sessions: SessionFinder,
): EventSource {
  return {
    log: new EventLog(database),
    findAdmitted: (orgId, kind, ids) =>
      kind === 'key' ? identity.findOpenKeys(orgId, ids) : sessions.openAmong(orgId, ids),
  };
}
