import type { OneColumn } from '@quarry/plan';
import type { Meaning, Span } from '../language/meaning.js';
import type { Check } from './check.js';
import type { ColumnTest } from './column-test.js';
import type { TableColumn } from './table-schema.js';

/** @returns a check on the cells of one column */
export function columnCheck({ key }: TableColumn, test: ColumnTest['test'], isNot: boolean): OneColumn {
  return { column: key, ...test, ...(isNot ? { is_not: true } : {}) };
}

/** @returns the meaning of words that check columns */
export function columnCondition(check: Check, note?: string): Meaning {
  return { type: 'condition', condition: { on: 'column', check }, ...(note ? { note } : {}) };
}

/** @returns the span of tokens that check a column, end excluded */
export function columnSpan(
  [start, end]: readonly [start: number, end: number],
  column: TableColumn,
  { test, note }: ColumnTest,
  weight: number,
  isNot = false,
): Span {
  return { start, end, weight, meaning: columnCondition(columnCheck(column, test, isNot), note) };
}
