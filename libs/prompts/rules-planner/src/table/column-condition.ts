import type { ColumnTest as Test, OneColumn } from '@quarry/plan';
import type { Meaning, Span } from '../language/meaning.js';
import { spanAt } from '../language/recogniser.js';
import type { Check } from '../language/check.js';
import type { TableColumn } from './table-schema.js';

/** Test of the cells of a column. */
export interface ColumnTest {
  readonly test: Test;
  /** Assumption of the interpretation, if any. */
  readonly note?: string;
}

/** @returns a check on the cells of one column */
export function columnCheck({ key }: TableColumn, test: Test, isNot: boolean): OneColumn {
  return { column: key, ...test, ...(isNot ? { is_not: true } : {}) };
}

/** @returns the meaning of words that check columns */
export function columnCondition(check: Check, note?: string): Meaning {
  return { type: 'condition', condition: { on: 'column', check }, ...(note ? { note } : {}) };
}

/** @returns the span of `length` tokens that checks a column */
export function columnSpan(
  start: number,
  length: number,
  column: TableColumn,
  { test, note }: ColumnTest,
  weight: number,
  isNot = false,
): Span {
  return spanAt(start, length, columnCondition(columnCheck(column, test, isNot), note), weight);
}
