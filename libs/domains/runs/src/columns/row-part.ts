import type { RowInput, ServiceCall } from '@quarry/plan-compiler';
import { SHORTFALLS } from './credit-shortfall.js';
import type { RowToEnrich } from './enrich-request.js';

/** Consecutive rows of an enrichment that are worked on together. */
export interface RowPart {
  readonly rows: readonly RowToEnrich[];
  /** Position of each row in the table, from 0. */
  readonly places: readonly number[];
}

/** @returns the rows of a part for which the call is still needed */
export function openRows({ columns }: ServiceCall, rows: readonly RowToEnrich[], first: number): RowPart {
  const isSettled = ({ settled = [] }: RowToEnrich): boolean =>
    columns.every(({ key }) => settled.includes(key));
  const open = rows.flatMap((row, i) => (isSettled(row) ? [] : [{ row, place: first + i }]));
  return { rows: open.map(({ row }) => row), places: open.map(({ place }) => place) };
}

/**
 * Applies the run's own limit to the rows of a round. Rows beyond it get a round of their own. In the last round, or when the limit
 * covers no row, they stay, with the reason in place of their input.
 * @returns the rows of this round with their inputs
 */
export function coveredRows(
  { rows, places }: RowPart,
  wanted: readonly RowInput[],
  { covered = Infinity, isLast }: { covered?: number; isLast: boolean },
): RowPart & { inputs: RowInput[] } {
  const { error: missing } = isLast && covered > 0 ? SHORTFALLS.isCutOff : SHORTFALLS.isLimited;
  let left = covered;
  const inputs = wanted.map((each): RowInput => {
    if (each.input === null) return each;
    left -= 1;
    return left >= 0 ? each : { input: null, missing };
  });
  const beyond = inputs.findIndex((each) => each.missing === missing);
  const end = beyond > 0 && !isLast ? beyond : inputs.length;
  return { rows: rows.slice(0, end), places: places.slice(0, end), inputs: inputs.slice(0, end) };
}
