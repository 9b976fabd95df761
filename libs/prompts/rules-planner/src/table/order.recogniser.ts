import type { Direction } from '@quarry/directory';
import type { Span } from '../language/meaning.js';
import { matchPhrase, parsePhrases } from '../language/phrase-list.js';
import type { Read } from '../language/read.js';
import { spanAt, WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import { DIRECTIONS, SORT_LEADS } from '../language/recognisers/cue.catalogue.js';
import type { TableColumn } from './table-schema.js';

const LEADS = parsePhrases(SORT_LEADS);
const DESCENDING = parsePhrases(
  DIRECTIONS.descending,
  'newest first | largest first | biggest first | most first | decreasing',
);
const ASCENDING = parsePhrases(DIRECTIONS.ascending, 'oldest first | smallest first | increasing');
/** Words that put high values first: "Top 3 by revenue". */
const TOPS = new Set(['top', 'best', 'leading']);
/** Words that do so before "by": "the largest by revenue", but not "the largest, sorted by founded". */
const HIGH = new Set(['largest', 'biggest', 'highest', 'newest', 'latest', 'youngest', 'strongest']);
const MOST = parsePhrases(
  'most | with most | with the most | highest | with the highest | with the largest | with the biggest',
);
const LEAST = parsePhrases(
  `fewest | with the fewest | with fewest | lowest | with the lowest | with the least | with the smallest`,
);

/** Recognises the order of rows by a column of the table: "sorted by founded", "with the most seats". */
export function orderRecogniser(columns: readonly TableColumn[]): Recogniser {
  return (reading, at) =>
    columns.flatMap((column) => [
      ...sortBy(column, reading, at),
      ...directedSpans(column, reading, at),
      ...mostFirst(column, reading, at),
    ]);
}

/** Recognises "with the most seats": an order without a sort word. */
function mostFirst(column: TableColumn, { words }: Reading, at: number): Span[] {
  if (column.type === 'text') return [];
  const most = matchPhrase(words, at, MOST);
  const lead = Math.max(most, matchPhrase(words, at, LEAST));
  const named = lead > 0 ? matchPhrase(words, at + lead, column.phrases) : 0;
  return named > 0 ? [sortSpan(column, at, lead + named, most > 0 ? 'descending' : 'ascending')] : [];
}

function sortBy(column: TableColumn, reading: Reading, at: number): Span[] {
  const lead = matchPhrase(reading.words, at, LEADS);
  const named = lead > 0 ? matchPhrase(reading.words, at + lead, column.phrases) : 0;
  if (named === 0) return [];
  // "Sorted by date added, newest first": the direction may follow a comma.
  const comma = reading.words[at + lead + named] === ',' ? 1 : 0;
  const direction = directionAt(reading, at + lead + named + comma);
  if (direction) return [sortSpan(column, at, lead + named + comma + direction.length, direction.value)];
  return [sortSpan(column, at, lead + named, usualDirection(column, reading, at))];
}

/** Recognises "employees descending": a column with a direction is an order as well. */
function directedSpans(column: TableColumn, reading: Reading, at: number): Span[] {
  const named = matchPhrase(reading.words, at, column.phrases);
  const direction = named > 0 ? directionAt(reading, at + named) : null;
  return direction ? [sortSpan(column, at, named + direction.length, direction.value)] : [];
}

function directionAt({ words }: Reading, at: number): Read<Direction> | null {
  const descending = matchPhrase(words, at, DESCENDING);
  if (descending > 0) return { value: 'descending', length: descending };
  const ascending = matchPhrase(words, at, ASCENDING);
  return ascending > 0 ? { value: 'ascending', length: ascending } : null;
}

/** Returns the default direction: ascending, unless the sentence requests the top of numeric values. */
function usualDirection(column: TableColumn, reading: Reading, at: number): Direction {
  if (column.type === 'text') return 'ascending';
  const opening = reading.tokens.findLastIndex(({ kind }, index) => index < at && kind === 'break') + 1;
  const before = reading.words.slice(opening, at);
  const isHigh = reading.words[at] === 'by' && before.some((word) => HIGH.has(word));
  return isHigh || before.some((word) => TOPS.has(word)) ? 'descending' : 'ascending';
}

function sortSpan({ key }: TableColumn, start: number, length: number, direction: Direction): Span {
  const sort = { column_key: key, direction };
  return spanAt(start, length, { type: 'table_sort', sort }, WEIGHT.certain);
}
