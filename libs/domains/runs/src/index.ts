export { RunFailure } from './execution/run-failure.error.js';
export { guardRun, type RunGuard } from './execution/run-guard.js';
export { RunLeaseStore, runWork, type RunSignals } from './execution/run-lease.store.js';
export { ChargedCalls } from './columns/charged-calls.js';
export { ColumnEnricher } from './columns/column-enricher.js';
export { ColumnEnricherModule } from './columns/column-enricher.module.js';
export type { RowToEnrich } from './columns/enrich-request.js';
export { isInOpenWorkspace, isTableGone, isWorkspaceGone } from './open-workspace.sql.js';
export { PlanStore } from './plans/plan.store.js';
export { KeyAccessPort } from './ports/key-access.port.js';
export { DirectCallsPort, type DirectCall, type DirectOutcome } from './ports/direct-calls.port.js';
export {
  MonitorItemsPort,
  type FoundItem,
  type FoundItems,
  type MonitoredRun,
  type MonitorMemory,
  type SeenRow,
} from './ports/monitor-items.port.js';
export { PaidLinesPort, type PaidLine, type SubmitOutcome } from './ports/paid-lines.port.js';
export {
  ExclusionPort,
  TableFreezerPort,
  TableReaderPort,
  TableWriterPort,
} from './ports/table-writer.port.js';
export { WorkspacePort } from './ports/workspace.port.js';
export { runExists, RunStore } from './run.store.js';
export type { SourcedRow } from './ports/sourced-row.js';
export { planErasure } from './plans/erase-from-plans.js';
export { runErasure } from './erase-from-runs.js';
export { PLAN_DAYS, RUN_DETAIL_DAYS, runRetention } from './run-retention.js';
export { RunAgentModule, RunSourcerModule } from './run-agent.module.js';
export { RunsModule } from './runs.module.js';
