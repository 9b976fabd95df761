import type { PlanColumn } from '@quarry/plan';

// Maximum number of rows for a prompt without a number. Source: docs/contract.md#3-runs.
const ROWS_DEFAULT = 1000;
const ROWS_DEFAULT_PAID = 100;

/**
 * Default number of rows from the web: each is searched and evaluated separately, so that a few arrive early at low cost.
 * Our choice.
 */
const ROWS_DEFAULT_WEB = 20;
/** Default maximum cost of sourcing from the web in credits: the same as the highest effort of Go. Our choice. */
const WEB_CREDITS_DEFAULT = 60;

/** @returns the maximum cost of sourcing from the web, in credits */
export function webCreditsOf(max: number | undefined): number {
  return max ?? WEB_CREDITS_DEFAULT;
}

/** @returns the row limit of a table: the smaller of the requested number and the contract's limit, else the default */
export function limitOf(
  count: number | null,
  maxRows: number | null,
  columns: readonly PlanColumn[],
  isWeb = false,
): number {
  const cap = smallest(count, maxRows);
  if (cap !== null) return cap;
  if (isWeb) return ROWS_DEFAULT_WEB;
  return columns.some(({ source }) => source.from === 'service') ? ROWS_DEFAULT_PAID : ROWS_DEFAULT;
}

/** @returns the smallest of the limits that are given; null for none */
export function smallest(...limits: ReadonlyArray<number | null>): number | null {
  const given = limits.filter((limit) => limit !== null);
  return given.length === 0 ? null : Math.min(...given);
}
