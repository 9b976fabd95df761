export { CancellationPoll } from './cancellation-poll.js';
export { LeaseGuard, type WorkGuard, type WorkSignals } from './lease-guard.js';
export { leaseTiming, type LeaseTiming } from './lease-timing.js';
export { StepJournal } from './step-journal.js';
export { TurnLeases, type Turn, type TurnKey } from './turn-leases.js';
export { inMs, turnSql } from './turn-sql.js';
export { consumeWork } from './work-consumer.js';
export { defineWork, SILENT_MS, workCtx, type WorkDefinition } from './work-definition.js';
export {
  AccessRevokedError,
  LeaseLostError,
  WorkCancelledError,
  WorkHandedBackError,
} from './work-errors.js';
export { WorkHandler, type TurnEnd } from './work-handler.js';
