import type { TableSort } from '@quarry/plan';
import type { Span } from '../language/meaning.js';
import { matchPhrase, phrases } from '../language/phrase-list.js';
import { WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import { DIRECTIONS, SORT_LEADS } from '../language/recognisers/cue.catalogue.js';
import { columnPhraseAt, type TableColumn } from './table-schema.js';

const LEADS = phrases(SORT_LEADS);
const DESCENDING = phrases(
  DIRECTIONS.descending,
  'newest first | largest first | biggest first | most first | decreasing',
);
const ASCENDING = phrases(DIRECTIONS.ascending, 'oldest first | smallest first | increasing');
/** "Top 3 by revenue": what is high comes first. */
const TOPS = new Set(['top', 'best', 'leading']);
/** "The largest by revenue", but not "the largest, sorted by founded". */
const HIGH = new Set(['largest', 'biggest', 'highest', 'newest', 'latest', 'youngest', 'strongest']);
const MOST = phrases(
  'most | with most | with the most | highest | with the highest | with the largest | with the biggest',
);
const LEAST = phrases(
  `fewest | with the fewest | with fewest | lowest | with the lowest | with the least | with the smallest`,
);

/** The order of rows by a column of the table: "sorted by founded", "with the most seats". */
export function orderRecogniser(columns: readonly TableColumn[]): Recogniser {
  return {
    name: 'table order',
    recognise: (reading, at) =>
      columns.flatMap((column) => [
        ...sortBy(column, reading, at),
        ...directed(column, reading, at),
        ...mostFirst(column, reading, at),
      ]),
  };
}

/** "With the most seats": an order without the word. */
function mostFirst(column: TableColumn, reading: Reading, at: number): Span[] {
  if (column.type === 'text') return [];
  const most = matchPhrase(reading.words, at, MOST);
  const lead = Math.max(most, matchPhrase(reading.words, at, LEAST));
  const named = lead > 0 ? columnPhraseAt(column, reading.words, at + lead) : 0;
  if (named === 0) return [];
  const sort = { column_key: column.key, direction: most > 0 ? 'descending' : 'ascending' } as const;
  return [sortSpan(at, at + lead + named, sort)];
}

function sortBy(column: TableColumn, reading: Reading, at: number): Span[] {
  const lead = matchPhrase(reading.words, at, LEADS);
  const named = lead > 0 ? columnPhraseAt(column, reading.words, at + lead) : 0;
  if (named === 0) return [];
  const end = at + lead + named;
  // "Sorted by date added, newest first": the direction may stand behind a comma.
  const comma = reading.words[end] === ',' ? 1 : 0;
  const said = directionAt(reading, end + comma);
  const direction = said?.direction ?? usualDirection(column, reading, at);
  return [sortSpan(at, said ? end + comma + said.length : end, { column_key: column.key, direction })];
}

/** "Employees descending": a column and its direction say the order, too. */
function directed(column: TableColumn, reading: Reading, at: number): Span[] {
  const named = columnPhraseAt(column, reading.words, at);
  const said = named > 0 ? directionAt(reading, at + named) : null;
  if (!said) return [];
  return [sortSpan(at, at + named + said.length, { column_key: column.key, direction: said.direction })];
}

function directionAt(
  { words }: Reading,
  at: number,
): { readonly direction: TableSort['direction']; readonly length: number } | null {
  const descending = matchPhrase(words, at, DESCENDING);
  if (descending > 0) return { direction: 'descending', length: descending };
  const ascending = matchPhrase(words, at, ASCENDING);
  return ascending > 0 ? { direction: 'ascending', length: ascending } : null;
}

/** From the first on, unless the sentence asks for the top of what has a size. */
function usualDirection(column: TableColumn, reading: Reading, at: number): TableSort['direction'] {
  if (column.type === 'text') return 'ascending';
  const opening = reading.tokens.findLastIndex(({ kind }, index) => index < at && kind === 'break') + 1;
  const before = reading.words.slice(opening, at);
  const isHigh = reading.words[at] === 'by' && before.some((word) => HIGH.has(word));
  return isHigh || before.some((word) => TOPS.has(word)) ? 'descending' : 'ascending';
}

function sortSpan(start: number, end: number, sort: TableSort): Span {
  return { start, end, weight: WEIGHT.certain, meaning: { type: 'table_sort', sort } };
}
