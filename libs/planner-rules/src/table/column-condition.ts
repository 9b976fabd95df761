import type { Predicate, PredicateTest } from '../../selection/predicate.js';
import type { Meaning, Span } from '../language/meaning.js';
import type { ColumnTest } from './column-test.js';
import type { TableColumn } from './table-schema.js';

/** @returns a check on the cells of one column, with its words: "Founded: 1950 or more" */
export function columnPredicate(
  column: TableColumn,
  test: PredicateTest,
  text: string,
  negate: boolean,
): Predicate {
  const said = test.op === 'filled' ? (negate ? 'empty' : 'not empty') : `${negate ? 'not ' : ''}${text}`;
  return { column_keys: [column.key], negate, test, text: `${column.name}: ${said}` };
}

/** @returns the meaning of words that check a column */
export function columnCondition(predicate: Predicate, note?: string): Meaning {
  return { type: 'condition', condition: { on: 'column', predicate }, ...(note ? { note } : {}) };
}

/** @returns the span of tokens that check a column, end excluded */
export function columnSpan(
  [start, end]: readonly [start: number, end: number],
  column: TableColumn,
  { test, text, note }: ColumnTest,
  weight: number,
  negate = false,
): Span {
  return { start, end, weight, meaning: columnCondition(columnPredicate(column, test, text, negate), note) };
}
