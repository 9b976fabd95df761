export { CancellationPoll } from './cancellation-poll.js';
export { LeaseGuard, type GuardedLease, type WorkGuard, type WorkSignals } from './lease-guard.js';
export { leaseTiming, type LeaseTiming } from './lease-timing.js';
export { StepJournal, type StepStatements } from './step-journal.js';
export { TurnLeases, type Turn, type TurnKey, type TurnStatements } from './turn-leases.js';
export { inMs, turnSql, type TurnTable } from './turn-sql.js';
export { consumeWork, WorkConsumer } from './work-consumer.js';
export { defineWork, SILENT_MS, workCtx, type WorkDefinition } from './work-definition.js';
export {
  AccessRevokedError,
  LeaseLostError,
  WorkCancelledError,
  WorkHandedBackError,
} from './work-errors.js';
export { WorkHandler, type TurnEnd } from './work-handler.js';
