export { DeterministicPlanner } from './deterministic.planner.js';
export { describePlan } from './describe-plan.js';
export { directoryQueries } from './directory/directory-queries.js';
export { recordValues, rowValues } from './directory/record-values.js';
export type { Planner } from './planner.port.js';
export { RUN_PLAN_VERSION, type PlanColumn, type RunPlan } from './run-plan.js';
