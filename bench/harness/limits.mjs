/** Scale with which budgets are counted as usual, but never reached. */
export const UNREACHABLE_SCALE = '100000';
