export type { ColumnTest, IntentRange, OneColumn } from './schema/column-check.schema.js';
export {
  FILTER_OPERATORS,
  type DirectoryFilter,
  type IntentPlace,
  type IntentRole,
  type IntentValue,
} from './schema/directory-filter.schema.js';
export {
  emptyIntent,
  PLAN_INTENT,
  readIntentSchema,
  type Conditions,
  type IntentColumn,
  type IntentColumnSource,
  type IntentCriterion,
  type IntentFilter,
  type PlanIntent,
} from './schema/plan-intent.schema.js';
export type { PromptOrigin } from './schema/prompt-origin.schema.js';
export { ABBREVIATIONS, MARKED_ABBREVIATIONS } from './language/abbreviations.js';
export { ENTITY_NOUNS } from './language/entity-nouns.catalogue.js';
export { STOP_WORDS } from './language/stop-words.js';
export { ROWS_MAX, type ContractColumn, type ContractTable } from './output/contract-table.js';
export { readOutputContract, type OutputContract } from './output/output-contract.js';
export { itemOf, projectRow, valueOfRow } from './output/row-values.js';
export { peopleOfCompanies, type PeopleOfCompanies } from './output/schema-tables.js';
export {
  checkLimits,
  PlanningFailedError,
  PlanningTimeoutError,
  type PlannedPrompt,
  type KnownTable,
  type PlanAsk,
  Planner,
  type PlannerCtx,
  type PlannerLimits,
  type PreviousPlan,
  type TableProfile,
} from './planner.port.js';
export {
  ENTITIES,
  RUN_PLAN_VERSIONS,
  type ColumnSource,
  type Criterion,
  type Entity,
  type PlanColumn,
  type PlanSource,
  type RowsBefore,
  type RunPlan,
  type ServiceInput,
  type ServiceInputs,
  type TableSort,
} from './run-plan.js';
export type { CellRange, DateRange, Predicate, PredicateTest } from './predicate.js';
export { purposeOf } from './prompt-purpose.js';
