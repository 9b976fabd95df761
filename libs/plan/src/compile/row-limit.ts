import type { PlanColumn } from '../run-plan.js';

// Rows that a prompt without a number gets at most. Source: contract decisions, section 3.
const ROWS_DEFAULT = 1000;
const ROWS_DEFAULT_PAID = 100;

/** @returns the row cap of a table: the smaller of what is asked for and what the contract allows, else the usual one */
export function limitOf(
  count: number | null,
  maxRows: number | null,
  columns: readonly PlanColumn[],
): number {
  const caps = [count, maxRows].filter((cap) => cap !== null);
  if (caps.length > 0) return Math.min(...caps);
  return columns.some(({ source }) => source.from === 'service') ? ROWS_DEFAULT_PAID : ROWS_DEFAULT;
}
