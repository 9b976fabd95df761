/** Budgets are counted as always, but out of reach of any load. */
export const UNREACHABLE_SCALE = '100000';
