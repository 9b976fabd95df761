export { compilePlan } from './compile/compile-plan.js';
export { contractColumn, spokenKey } from './compile/contract-columns.js';
export { keyOfSource, resolveAttribute } from './compile/directory-columns.js';
export { filterKeys, intentFilters, intentPlaces, placesOf } from './compile/directory-filters.js';
export { directoryQueries } from './compile/directory-queries.js';
export { recordValues, rowValues } from './compile/record-values.js';
export { describePlan, describeTables, EXAMPLES, MESSAGE_CHARACTERS_MAX } from './describe-plan.js';
export type { ColumnTest, IntentRange, OneColumn } from './schema/column-check.schema.js';
export type { DirectoryFilter } from './schema/directory-filter.schema.js';
export { intentFaults } from './intent/intent-faults.js';
export { shapeFaults } from './intent/shape-faults.js';
export { sizeFaults } from './intent/intent-size.js';
export {
  emptyIntent,
  PLAN_INTENT,
  readIntentSchema,
  type Conditions,
  type IntentColumn,
  type IntentCriterion,
  type IntentFilter,
  type PlanIntent,
} from './schema/plan-intent.schema.js';
export { readingsOf, type Reading } from './intent/readings-of-intent.js';
export type { PromptOrigin } from './schema/prompt-origin.schema.js';
export { ABBREVIATIONS, MARKED_ABBREVIATIONS } from './language/abbreviations.js';
export { ENTITY_NOUNS } from './language/entity-nouns.catalogue.js';
export { STOP_WORDS } from './language/stop-words.js';
export { withLostWords } from './lost-words.js';
export { schemaFaults } from './output/json-schema-subset.js';
export {
  readOutputContract,
  type ContractColumn,
  type ContractTable,
  type OutputContract,
} from './output/output-contract.js';
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
export { estimateOf } from './plan-estimate.js';
export type { Entity, PlanColumn, RowsBefore, RunPlan, ServiceInputs, TableSort } from './run-plan.js';
export { filtersHonoured, isHonoured, meetsFilters } from './selection/filters-honoured.js';
export { fittedFollowUp, orderKey, type FoundRows } from './follow-up.js';
export { fitOfVerdicts, evaluateFit, type Criterion } from './selection/evaluate-fit.js';
export { compareValues } from './selection/compare-values.js';
export { matchesPredicate, type RowValues } from './selection/matches-predicate.js';
export type { DateRange } from './selection/predicate.js';
export {
  paidTexts,
  priceOf,
  serviceCalls,
  type FilledColumn,
  type ServiceCall,
} from './services/service-calls.js';
export { inputValue, keysOfInputs, textOf } from './services/service-inputs.js';
export { hasUsualInputs } from './intent/service-column-faults.js';
export { usualInputs } from './services/usual-inputs.js';
export { looksUpPeople } from './compile/service-columns.js';
export {
  readStoredPlans,
  UnknownPlanVersionError,
  type StoredPlan,
  type Unconfirmed,
} from './stored-plans.js';
export { purposeOf } from './prompt-purpose.js';
export { withoutCorrected } from './intent/corrected-words.js';
export { carriesOn, unreadWords } from './unread-words.js';
