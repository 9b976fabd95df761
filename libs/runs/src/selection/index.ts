export { filtersHonoured, meetsFilters, type FilterCheck } from './filters-honoured.js';
export { judgeFit, type Criterion, type FitContext } from './judge-fit.js';
export { matchesPredicate, type RowValues } from './matches-predicate.js';
export type { DateRange, Predicate, PredicateTest } from './predicate.js';
