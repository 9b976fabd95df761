import type { PlanColumn } from '@quarry/plan';

// Rows that a prompt without a number gets at most. Source: docs/contract.md#3-runs.
const ROWS_DEFAULT = 1000;
const ROWS_DEFAULT_PAID = 100;

/** Each is looked for and judged by itself, so that a few come early and cost little. Ours. */
const ROWS_DEFAULT_WEB = 20;
/** Credits that a search on the web may cost without a limit of its own: as many as the greatest effort of Go. Ours. */
const WEB_CREDITS_DEFAULT = 60;

/** @returns the most that looking for the rows of a web source may cost, in credits */
export function webCreditsOf(max: number | undefined): number {
  return max ?? WEB_CREDITS_DEFAULT;
}

/** @returns the row cap of a table: the smaller of what is asked for and what the contract allows, else the usual one */
export function limitOf(
  count: number | null,
  maxRows: number | null,
  columns: readonly PlanColumn[],
  isWeb = false,
): number {
  const caps = [count, maxRows].filter((cap) => cap !== null);
  if (caps.length > 0) return Math.min(...caps);
  if (isWeb) return ROWS_DEFAULT_WEB;
  return columns.some(({ source }) => source.from === 'service') ? ROWS_DEFAULT_PAID : ROWS_DEFAULT;
}
