export { compilePlan } from './compile/compile-plan.js';
export { contractColumn, spokenKey } from './compile/contract-columns.js';
export { keyOfSource, resolveAttribute } from './compile/directory-columns.js';
export { intentFilters, intentPlaces, placesOf } from './compile/directory-filters.js';
export { directoryQueries } from './compile/directory-queries.js';
export { withPeopleOfListed } from './compile/people-by-company.js';
export { recordValues, rowValues } from './compile/record-values.js';
export { describePlan, describeTables, EXAMPLES, MESSAGE_CHARACTERS_MAX } from './describe-plan.js';
export { intentFaults } from './intent/intent-faults.js';
export { shapeFaults } from './intent/shape-faults.js';
export { sizeFaults } from './intent/intent-size.js';
export { readingsOf, type Reading } from './intent/readings-of-intent.js';
export { withLostWords, withoutWordsOfOthers } from './lost-words.js';
export { estimateOf } from './plan-estimate.js';
export { filtersHonoured, meetsFilters } from './selection/filters-honoured.js';
export { fittedFollowUp, type FoundRows } from './follow-up.js';
export { neededKeys } from './needed-keys.js';
export { refinedRows, type LiveRow } from './refined-rows.js';
export { criterionValues, fitOfVerdicts, evaluateFit } from './selection/evaluate-fit.js';
export { compareValues } from './selection/compare-values.js';
export { matchesPredicate, type RowValues } from './selection/matches-predicate.js';
export {
  paidTexts,
  priceOf,
  serviceCalls,
  type FilledColumn,
  type ServiceCall,
} from './services/service-calls.js';
export { keysOfInputs } from './services/service-inputs.js';
export { rowInput, type RowInput } from './services/row-input.js';
export { hasUsualInputs } from './intent/service-column-faults.js';
export { usualInputs } from './services/usual-inputs.js';
export { subjectOfRecord, subjectOfRow, type Subject } from './services/row-subject.js';
export { looksUpPeople } from './compile/service-columns.js';
export {
  readStoredPlans,
  UnknownPlanVersionError,
  type StoredPlan,
  type Unconfirmed,
} from './stored-plans.js';
export { withoutCorrected } from './intent/corrected-words.js';
export { carriesOn, unreadWords } from './unread-words.js';
