export { DeterministicPlanner } from './deterministic.planner.js';
export { describePlan } from './describe-plan.js';
export { companyValues, personValues, recordValues, rowValues } from './directory/record-values.js';
export type { ColumnProfile, KnownTable, Planner, PlannerKnowledge, TableProfile } from './planner.port.js';
export {
  RUN_PLAN_VERSION,
  type ColumnSource,
  type Entity,
  type PlanColumn,
  type PlanSource,
  type RunPlan,
  type TableSort,
} from './run-plan.js';
export { directoryQueries, type DirectoryQueries } from './directory/directory-queries.js';
