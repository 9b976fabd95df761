import { rangesInWords } from '../directory/directory-predicates.js';
import type { Span } from '../language/meaning.js';
import { matchPhrase, phrases } from '../language/phrase-list.js';
import { readRange, type Read } from '../language/quantity.js';
import { WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import { columnSpan } from './column-condition.js';
import type { ColumnTest } from './column-test.js';
import { rangeTest } from './range-test.js';
import { columnPhraseAt, type TableColumn } from './table-schema.js';
import { operatorTest } from './text-test.js';
import { valueListAt } from './value-list.js';

const LINKS = phrases(
  'is',
  'are',
  'was',
  'were',
  ':',
  '=',
  'equals',
  'equal to',
  'of',
  'that is',
  'which is',
  'being',
  'has',
  'that',
);
const NOTS = phrases('not', 'is not', 'are not', 'isnt', 'arent', 'other than', '!');
const BLANKS = phrases('empty', 'blank', 'missing', 'unknown', 'not known', 'not given', 'not there');

const FILLED: ColumnTest = { test: { op: 'filled' }, text: '' };
/** A word that is a column of this table is that before it is anything of the general vocabulary. */
const COLUMN_WEIGHT = WEIGHT.quantity + 1;

/** Columns that a prompt names, alone or with what their cells must be. */
export function columnCheckRecogniser(columns: readonly TableColumn[]): Recogniser {
  return {
    name: 'table columns',
    recognise: (reading, at) =>
      columns.flatMap((column) => [...columnFirst(column, reading, at), ...rangeFirst(column, reading, at)]),
  };
}

/** "Founded before 1950", "symbol starts with A", "CIK above 1000000", "sector is Energy". */
function columnFirst(column: TableColumn, reading: Reading, at: number): Span[] {
  const named = columnPhraseAt(column, reading.words, at);
  if (named === 0) return [];
  const own: Span = {
    start: at,
    end: at + named,
    weight: COLUMN_WEIGHT,
    meaning: { type: 'table_column', key: column.key },
  };
  const check = checkAfter(column, reading, at + named);
  if (!check) return [own];
  const { value, length, isNegated } = check;
  return [own, columnSpan([at, at + named + length], column, value, WEIGHT.certain, isNegated)];
}

interface Check extends Read<ColumnTest> {
  readonly isNegated: boolean;
}

/** What a prompt asks of a column behind its name: "is not Energy", "is empty", "above 50". */
function checkAfter(column: TableColumn, reading: Reading, at: number): Check | null {
  const link = matchPhrase(reading.words, at, LINKS);
  const next = at + link;
  const blank = link > 0 ? matchPhrase(reading.words, next, BLANKS) : 0;
  if (blank > 0) return { value: FILLED, length: link + blank, isNegated: true };
  const not = matchPhrase(reading.words, next, NOTS);
  const filled = not > 0 ? matchPhrase(reading.words, next + not, BLANKS) : 0;
  if (filled > 0) return { value: FILLED, length: link + not + filled, isNegated: false };
  const read = readTest(column, reading, next + not, {
    isLinked: link + not > 0,
    isNegated: not > 0,
  });
  return read && { value: read.value, length: link + not + read.length, isNegated: not > 0 };
}

interface Opening {
  /** True behind "is" or "not", where a value may stand. */
  readonly isLinked: boolean;
  readonly isNegated: boolean;
}

function readTest(
  column: TableColumn,
  reading: Reading,
  at: number,
  { isLinked, isNegated }: Opening,
): Read<ColumnTest> | null {
  return (
    operatorTest(reading, at) ??
    rangeTest(column, reading, at) ??
    (isLinked ? valueTest(column, reading, at, isNegated) : null)
  );
}

function valueTest(
  column: TableColumn,
  reading: Reading,
  at: number,
  isNegated: boolean,
): Read<ColumnTest> | null {
  const found = valueListAt(column, reading, at, isNegated);
  if (!found) return null;
  const { value: values, length } = found;
  return {
    value: { test: { op: 'one_of', values }, text: values.join(isNegated ? ' nor ' : ' or ') },
    length,
  };
}

/** "More than 20 seats": a comparison, and then the name of a column of numbers. */
function rangeFirst(column: TableColumn, reading: Reading, at: number): Span[] {
  if (column.type !== 'number') return [];
  const found = readRange(reading, at);
  const named = found ? columnPhraseAt(column, reading.words, at + found.length) : 0;
  if (!found || !found.value.isExplicit || named === 0) return [];
  const ranges = [found.value.range];
  const test: ColumnTest = { test: { op: 'number', ranges }, text: rangesInWords(ranges) };
  return [columnSpan([at, at + found.length + named], column, test, WEIGHT.certain)];
}
