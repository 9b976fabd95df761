export { filtersHonoured, meetsFilters, type FilterCheck } from './filters-honoured.js';
export { judgeFit } from './judge-fit.js';
