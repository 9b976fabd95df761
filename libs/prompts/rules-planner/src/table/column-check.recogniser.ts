import type { Span } from '../language/meaning.js';
import { matchPhrase } from '../language/phrase-list.js';
import type { Read } from '../language/read.js';
import { spanAt, WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import { COMPARED_WITH, filledAt, openingsAt, type Opening } from './check-opening.js';
import { columnSpan, type ColumnTest } from './column-condition.js';
import { numberTest, rangeTest } from './range-test.js';
import type { TableColumn } from './table-schema.js';
import { operatorTest } from './text-test.js';
import { valueListAt } from './value-list.js';

const FILLED: ColumnTest = { test: { op: 'filled' } };
/** Weight of columns: a word that names a column of this table takes precedence over its general meaning. */
const COLUMN_WEIGHT = WEIGHT.quantity + 1;

/** Recognises columns that a prompt names, with or without a condition on their cells. */
export function columnCheckRecogniser(columns: readonly TableColumn[]): Recogniser {
  return (reading, at) =>
    columns.flatMap((column) => [...columnFirst(column, reading, at), ...rangeFirst(column, reading, at)]);
}

/** Recognises "founded before 1950", "symbol starts with A", "CIK above 1000000", "sector is Energy". */
function columnFirst(column: TableColumn, reading: Reading, at: number): Span[] {
  const named = matchPhrase(reading.words, at, column.phrases);
  if (named === 0) return [];
  const own = spanAt(at, named, { type: 'table_column', key: column.key }, COLUMN_WEIGHT);
  const check = checkAfter(column, reading, at + named);
  if (!check) return [own];
  const { value, length, isNegated } = check;
  return [own, columnSpan(at, named + length, column, value, WEIGHT.certain, isNegated)];
}

interface Check extends Read<ColumnTest> {
  readonly isNegated: boolean;
}

/** Reads the condition after a column's name: "is not Energy", "is empty", "above 50". */
function checkAfter(column: TableColumn, reading: Reading, at: number): Check | null {
  for (const opening of openingsAt(reading, at)) {
    const { length, isNegated } = opening;
    const read = readTest(column, reading, at + length, opening);
    if (read) return { value: read.value, length: length + read.length, isNegated };
    const filled = length > 0 ? filledAt(reading, at + length) : null;
    if (filled)
      return { value: FILLED, length: length + filled.length, isNegated: filled.value === isNegated };
  }
  return null;
}

function readTest(
  column: TableColumn,
  reading: Reading,
  at: number,
  { length, isNegated }: Opening,
): Read<ColumnTest> | null {
  return (
    operatorTest(reading, at) ??
    comparedTest(reading, at, column.type === 'text', (next) => rangeTest(column, reading, next)) ??
    comparedTest(reading, at, column.type === 'text', (next) =>
      valueTest(column, reading, next, { isLinked: length > 0 || next > at, isRuledOut: isNegated }),
    )
  );
}

/** Reads the values after "equal to" or "one of"; there, a value may be any word, such as "In". */
function comparedTest(
  { words, raw }: Reading,
  at: number,
  isText: boolean,
  read: (at: number) => Read<ColumnTest> | null,
): Read<ColumnTest> | null {
  const skip = matchPhrase(words, at, COMPARED_WITH);
  const isCode = /^[A-Z]{2,}$/.test(raw[at] ?? '');
  for (const skipped of isText && !isCode ? [skip, 0] : [0, skip]) {
    const found = read(at + skipped);
    if (found) return { value: found.value, length: skipped + found.length };
  }
  return null;
}

function valueTest(
  column: TableColumn,
  reading: Reading,
  at: number,
  how: { readonly isLinked: boolean; readonly isRuledOut: boolean },
): Read<ColumnTest> | null {
  if (column.isBoolean && how.isLinked) return yesOrNo(reading, at);
  const found = valueListAt(column, reading, at, how);
  if (!found) return null;
  return { value: { test: { op: 'one_of', value: found.value } }, length: found.length };
}

function yesOrNo({ tokens }: Reading, at: number): Read<ColumnTest> | null {
  const word = tokens[at]?.folded ?? '';
  const isYes = ['yes', 'true', 'y', 'on'].includes(word);
  if (!isYes && !['no', 'false', 'n', 'off'].includes(word)) return null;
  return { value: { test: { op: 'is', value: isYes } }, length: 1 };
}

/** Recognises "more than 20 seats": a comparison, followed by the name of a numeric column. */
function rangeFirst(column: TableColumn, reading: Reading, at: number): Span[] {
  if (column.type !== 'number') return [];
  const found = numberTest(column, reading, at);
  const named = found?.value.isExplicit ? matchPhrase(reading.words, at + found.length, column.phrases) : 0;
  if (!found || named === 0) return [];
  return [columnSpan(at, found.length + named, column, found.value, WEIGHT.certain)];
}
