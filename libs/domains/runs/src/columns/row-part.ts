import type { RowInput, ServiceCall } from '@quarry/plan-compiler';
import { SHORTFALLS } from './credit-shortfall.js';
import type { RowToEnrich } from './enrich-request.js';

/** A row for which a call is needed. */
export interface OpenRow extends RowToEnrich {
  /** Position in the table, from 0. */
  readonly place: number;
}

/** @returns the rows of a part for which the call is still needed */
export function openRows({ columns }: ServiceCall, rows: readonly RowToEnrich[], first: number): OpenRow[] {
  return rows
    .map((row, i) => ({ ...row, place: first + i }))
    .filter(({ settled = [] }) => !columns.every(({ key }) => settled.includes(key)));
}

/**
 * Applies the run's own limit to the inputs of a round. Rows beyond it get a round of their own. In the last round, or when the
 * limit covers no row, they stay, with the reason in place of their input.
 * @returns the inputs of the leading rows that are in this round
 */
export function coveredInputs(
  wanted: readonly RowInput[],
  { covered = Infinity, isLast }: { covered?: number; isLast: boolean },
): RowInput[] {
  const { error: missing } = isLast && covered > 0 ? SHORTFALLS.isCutOff : SHORTFALLS.isLimited;
  let left = covered;
  const inputs = wanted.map((each): RowInput => {
    if (each.input === null) return each;
    left -= 1;
    return left >= 0 ? each : { input: null, missing };
  });
  const beyond = inputs.findIndex((each) => each.missing === missing);
  return beyond > 0 && !isLast ? inputs.slice(0, beyond) : inputs;
}
