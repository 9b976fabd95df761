import type { NumberRange } from '@quarry/providers';
import type { DateRange, PredicateTest } from '../../selection/predicate.js';
import { rangesInWords } from '../directory/directory-predicates.js';
import { isContent } from '../language/fragments.js';
import type { Meaning, Span } from '../language/meaning.js';
import { matchPhrase, phrases, type PhraseList } from '../language/phrase-list.js';
import { readRange, type Read } from '../language/quantity.js';
import { WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import { readYears } from '../language/recognisers/founded.recogniser.js';
import { columnCondition, columnPredicate } from './column-condition.js';
import { columnPhraseAt, valueKey, valuesNamed, type TableColumn } from './table-schema.js';

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
const TEXT_OPERATORS: ReadonlyArray<{
  op: 'starts_with' | 'ends_with' | 'contains';
  list: PhraseList;
  text: string;
}> = [
  {
    op: 'starts_with',
    list: phrases(
      'starts with',
      'start with',
      'starting with',
      'begins with',
      'beginning with',
      'begin with',
    ),
    text: 'starts with',
  },
  {
    op: 'ends_with',
    list: phrases('ends with', 'ending with', 'end with', 'ending in', 'ends in'),
    text: 'ends with',
  },
  {
    op: 'contains',
    list: phrases(
      'contains',
      'containing',
      'contain',
      'includes',
      'including',
      'mentions',
      'mentioning',
      'with the word',
    ),
    text: 'contains',
  },
];
const SORT_LEADS = phrases(
  'sorted by',
  'sort by',
  'ordered by',
  'order by',
  'ranked by',
  'by',
  'sort them by',
);
const DESCENDING = phrases(
  'descending',
  'desc',
  'highest first',
  'newest first',
  'latest first',
  'largest first',
  'in descending order',
);
const ASCENDING = phrases(
  'ascending',
  'asc',
  'lowest first',
  'oldest first',
  'earliest first',
  'smallest first',
  'in ascending order',
);
const MOST = phrases(
  'most',
  'with most',
  'with the most',
  'highest',
  'with the highest',
  'with the largest',
  'with the biggest',
);
const LEAST = phrases(
  'fewest',
  'with the fewest',
  'with fewest',
  'lowest',
  'with the lowest',
  'with the least',
  'with the smallest',
);
/** A word that is a column of this table is that before it is anything of the general vocabulary. */
const COLUMN_WEIGHT = WEIGHT.quantity + 1;
const PART_WEIGHT = -5;
/** Words that end an unquoted text: "contains New York and …". */
const TEXT_ENDS = new Set([
  'and',
  'or',
  'but',
  'with',
  'in',
  'sorted',
  'founded',
  'added',
  'that',
  'where',
  'which',
  'from',
]);
/** Longest value of a table that is looked for, in words. */
const VALUE_WORDS_MAX = 9;

/** Makes the recogniser of one table's columns and values. */
export function tableRecogniser(columns: readonly TableColumn[]): Recogniser {
  return {
    name: 'table',
    recognise(reading, at) {
      const spans = columns.flatMap((column) => [
        ...columnFirst(column, reading, at),
        ...valueFirst(column, reading, at),
        ...rangeFirst(column, reading, at),
        ...sortBy(column, reading, at),
        ...mostFirst(column, reading, at),
        ...partOfValues(column, reading, at),
      ]);
      return spans;
    },
  };
}

/** "Founded before 1950", "symbol starts with A", "CIK above 1000000", "sector is Energy". */
function columnFirst(column: TableColumn, reading: Reading, at: number): Span[] {
  const named = columnPhraseAt(column, reading.words, at);
  if (named === 0) return [];
  const own = span(at, at + named, { type: 'table_column', key: column.key }, COLUMN_WEIGHT);
  let next = at + named;
  next += matchPhrase(reading.words, next, LINKS);
  const blank = matchPhrase(reading.words, next, BLANKS);
  if (blank > 0 && next > at + named)
    return [own, span(at, next + blank, predicate(column, { op: 'filled' }, '', true), WEIGHT.certain)];
  const isNot = matchPhrase(reading.words, next, NOTS);
  const filled = isNot > 0 ? matchPhrase(reading.words, next + isNot, BLANKS) : 0;
  if (filled > 0)
    return [
      own,
      span(at, next + isNot + filled, predicate(column, { op: 'filled' }, '', false), WEIGHT.certain),
    ];
  const read = readTest(column, reading, next + isNot, isNot > 0 || next > at + named);
  if (!read) return [own];
  const { test, text } = read.value;
  const condition = predicate(column, test, text, isNot > 0);
  return [own, span(at, next + isNot + read.length, condition, WEIGHT.certain)];
}

interface TestReading {
  readonly test: PredicateTest;
  readonly text: string;
}

function readTest(
  column: TableColumn,
  reading: Reading,
  at: number,
  isLinked: boolean,
): Read<TestReading> | null {
  return (
    operatorTest(reading, at) ??
    rangeTest(column, reading, at) ??
    (isLinked ? valueTest(column, reading, at) : null)
  );
}

function operatorTest(reading: Reading, at: number): Read<TestReading> | null {
  for (const { op, list, text } of TEXT_OPERATORS) {
    const length = matchPhrase(reading.words, at, list);
    const filler =
      length > 0 && ['the', 'letter', 'letters', 'word'].includes(reading.words[at + length] ?? '') ? 1 : 0;
    const second =
      filler > 0 && ['letter', 'letters', 'word'].includes(reading.words[at + length + 1] ?? '') ? 1 : 0;
    const start = at + length + filler + second;
    const value = length > 0 ? textAt(reading, start) : null;
    if (!value) continue;
    return {
      value: { test: { op, values: [value.value] }, text: `${text} ${value.value}` },
      length: start - at + value.length,
    };
  }
  return null;
}

/** A text to compare with: quoted, with its mark in front ("+49"), or the words up to what ends it. */
function textAt(reading: Reading, at: number): Read<string> | null {
  const [first, second] = reading.tokens.slice(at, at + 2);
  if (!first || first.kind === 'break') return null;
  if (first.kind === 'quoted') return { value: first.text, length: 1 };
  if (first.kind !== 'mark') {
    const words = plainText(reading, at);
    return { value: words.join(' '), length: words.length };
  }
  const isOneWord = second?.start === first.end && ['word', 'number'].includes(second.kind);
  return isOneWord ? { value: first.text + second.text, length: 2 } : null;
}

/** The words of an unquoted text, at least one. */
function plainText({ tokens }: Reading, at: number): string[] {
  let end = at + 1;
  while (tokens[end]?.kind === 'word' && !TEXT_ENDS.has(tokens[end]?.folded ?? '')) end += 1;
  return tokens.slice(at, end).map(({ text }) => text);
}

function rangeTest(column: TableColumn, reading: Reading, at: number): Read<TestReading> | null {
  switch (column.type) {
    case 'text':
      return null;
    case 'number':
      return numberTest(reading, at);
    case 'year':
      return yearTest(reading, at);
    case 'date':
      return dayTest(reading, at) ?? yearOfDateTest(reading, at);
  }
}

function numberTest(reading: Reading, at: number): Read<TestReading> | null {
  const found = readRange(reading, at);
  if (!found) return null;
  const ranges = [found.value.range];
  return { value: { test: { op: 'number', ranges }, text: rangesInWords(ranges) }, length: found.length };
}

function yearTest(reading: Reading, at: number): Read<TestReading> | null {
  const found = yearsAfter(reading, at);
  if (!found) return null;
  const ranges = [found.value];
  return { value: { test: { op: 'year', ranges }, text: rangesInWords(ranges) }, length: found.length };
}

function yearOfDateTest(reading: Reading, at: number): Read<TestReading> | null {
  const found = yearsAfter(reading, at);
  if (!found) return null;
  const { min, max } = found.value;
  const range = { from: min === null ? null : `${min}-01-01`, to: max === null ? null : `${max}-12-31` };
  return { value: { test: { op: 'date', range }, text: daysInWords(range) }, length: found.length };
}

function yearsAfter(reading: Reading, at: number): Read<NumberRange> | null {
  const skip =
    ['in', 'sometime', 'to', 'index'].includes(reading.words[at] ?? '') && reading.words[at + 1] !== 'the'
      ? 1
      : 0;
  const found = readYears(reading, at + skip, true);
  return found ? { value: found.value, length: found.length + skip } : null;
}

/** "after 2010-06-30", "between 2010-01-01 and 2011-01-01", "on 2015-03-04". */
function dayTest(reading: Reading, at: number): Read<TestReading> | null {
  const lead = reading.words[at] ?? '';
  const skip = reading.tokens[at]?.kind === 'date' ? 0 : 1;
  const first = reading.tokens[at + skip];
  if (first?.kind !== 'date') return null;
  const day = first.text;
  const second = reading.tokens[at + skip + 2];
  if (lead === 'between' && second?.kind === 'date') return dayRange({ from: day, to: second.text }, 4);
  if (lead === 'after') return dayRange({ from: shiftDay(day, 1), to: null }, 2);
  if (lead === 'since' || lead === 'from') return dayRange({ from: day, to: null }, 2);
  if (lead === 'before') return dayRange({ from: null, to: shiftDay(day, -1) }, 2);
  return ['until', 'by'].includes(lead)
    ? dayRange({ from: null, to: day }, 2)
    : dayRange({ from: day, to: day }, skip + 1);
}

/** @returns the day so many days later, in the proleptic Gregorian calendar. */
function shiftDay(day: string, days: number): string {
  const shifted = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(shifted.getTime())) return day;
  shifted.setUTCDate(shifted.getUTCDate() + days);
  return shifted.toISOString().slice(0, 10);
}

function dayRange(range: DateRange, length: number): Read<TestReading> {
  return { value: { test: { op: 'date', range }, text: daysInWords(range) }, length };
}

function daysInWords({ from, to }: DateRange): string {
  if (from !== null && to !== null) return `${from} to ${to}`;
  return from !== null ? `${from} or later` : `${to ?? ''} or earlier`;
}

/** A value right after its column's name and a link: a quoted text, a known value, else one word. */
function valueTest(column: TableColumn, reading: Reading, at: number): Read<TestReading> | null {
  const token = reading.tokens[at];
  if (!token || token.kind === 'break' || token.kind === 'mark') return null;
  const oneOf = (value: string, length: number): Read<TestReading> => ({
    value: { test: { op: 'one_of', values: [value] }, text: value },
    length,
  });
  if (token.kind === 'quoted') return oneOf(token.text, 1);
  const known = knownValueAt(column, reading, at);
  return known ? oneOf(known.value, known.length) : null;
}

/** "Industrials", "the Semiconductors sub-industry": a value, with its column's name or unmistakable without. */
function valueFirst(column: TableColumn, reading: Reading, at: number): Span[] {
  if (column.type !== 'text') return [];
  const known = knownValueAt(column, reading, at);
  if (!known) return [];
  const end = at + known.length;
  const named = columnPhraseAt(column, reading.words, end);
  if (named === 0 && !column.isCategory) return [];
  const condition = predicate(column, { op: 'one_of', values: [known.value] }, known.value, false);
  return [span(at, end + named, condition, named > 0 ? WEIGHT.certain : WEIGHT.quantity)];
}

/** "More than 20 seats": a comparison, and then the name of a column of numbers. */
function rangeFirst(column: TableColumn, reading: Reading, at: number): Span[] {
  if (column.type !== 'number') return [];
  const found = readRange(reading, at);
  const named = found ? columnPhraseAt(column, reading.words, at + found.length) : 0;
  if (!found || !found.value.isExplicit || named === 0) return [];
  const ranges = [found.value.range];
  const condition = predicate(column, { op: 'number', ranges }, rangesInWords(ranges), false);
  return [span(at, at + found.length + named, condition, WEIGHT.certain)];
}

/** "REITs": words that stand in several values of a category. The weakest reading: any other word list wins. */
function partOfValues(column: TableColumn, reading: Reading, at: number): Span[] {
  if (!column.isCategory) return [];
  const tokens = reading.tokens.slice(at, at + 2);
  for (let length = tokens.length; length > 0; length -= 1) {
    if (!tokens.slice(0, length).every((token) => token.kind === 'word' && isContent(token))) continue;
    const said = tokens.slice(0, length).map(({ text }) => text);
    const { values, isExact } = valuesNamed(column, said.join(' '));
    if (values.length === 0 || isExact) continue;
    return [
      span(
        at,
        at + length,
        predicate(column, { op: 'one_of', values }, values.join(' or '), false),
        PART_WEIGHT,
      ),
    ];
  }
  return [];
}

/** The longest value of the column that stands at a position, commas and "&" inside it included. */
function knownValueAt(column: TableColumn, reading: Reading, at: number): Read<string> | null {
  if (reading.tokens[at]?.kind === 'mark') return null;
  const values = valuesByKey(column);
  for (let length = VALUE_WORDS_MAX; length > 0; length -= 1) {
    const tokens = reading.tokens.slice(at, at + length);
    if (
      tokens.length < length ||
      tokens.at(-1)?.kind === 'mark' ||
      tokens.some(({ kind }) => kind === 'break')
    )
      continue;
    const value = values.get(valueKey(tokens.map(({ text }) => text).join(' ')));
    if (value !== undefined) return { value, length };
  }
  return null;
}

const indexes = new WeakMap<TableColumn, Map<string, string>>();

function valuesByKey(column: TableColumn): Map<string, string> {
  let index = indexes.get(column);
  if (!index) {
    index = new Map(column.values.map((value) => [valueKey(value), value]));
    index.delete('');
    indexes.set(column, index);
  }
  return index;
}

/** "With the most seats": an order without the word. */
function mostFirst(column: TableColumn, reading: Reading, at: number): Span[] {
  if (column.type === 'text') return [];
  const most = matchPhrase(reading.words, at, MOST);
  const lead = Math.max(most, matchPhrase(reading.words, at, LEAST));
  const named = lead > 0 ? columnPhraseAt(column, reading.words, at + lead) : 0;
  if (named === 0) return [];
  const sort = { column_key: column.key, direction: most > 0 ? 'descending' : 'ascending' } as const;
  return [span(at, at + lead + named, { type: 'table_sort', sort }, WEIGHT.certain)];
}

function sortBy(column: TableColumn, reading: Reading, at: number): Span[] {
  const lead = matchPhrase(reading.words, at, SORT_LEADS);
  const named = lead > 0 ? columnPhraseAt(column, reading.words, at + lead) : 0;
  if (named === 0) return [];
  const end = at + lead + named;
  // "Sorted by date added, newest first": the direction may stand behind a comma.
  const comma = reading.words[end] === ',' ? 1 : 0;
  const descending = matchPhrase(reading.words, end + comma, DESCENDING);
  const ascending = matchPhrase(reading.words, end + comma, ASCENDING);
  const sort = { column_key: column.key, direction: descending > 0 ? 'descending' : 'ascending' } as const;
  const said = Math.max(descending, ascending);
  return [span(at, said > 0 ? end + comma + said : end, { type: 'table_sort', sort }, WEIGHT.certain)];
}

function predicate(column: TableColumn, test: PredicateTest, text: string, negate: boolean): Meaning {
  return columnCondition(columnPredicate(column, test, text, negate));
}

function span(start: number, end: number, meaning: Meaning, weight: number): Span {
  return { start, end, weight, meaning };
}
