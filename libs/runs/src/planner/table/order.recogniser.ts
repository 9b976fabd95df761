import type { Span } from '../language/meaning.js';
import { matchPhrase, phrases } from '../language/phrase-list.js';
import { WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import type { TableSort } from '../run-plan.js';
import { columnPhraseAt, type TableColumn } from './table-schema.js';

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

/** The order of rows by a column of the table: "sorted by founded", "with the most seats". */
export function orderRecogniser(columns: readonly TableColumn[]): Recogniser {
  return {
    name: 'table order',
    recognise: (reading, at) =>
      columns.flatMap((column) => [...sortBy(column, reading, at), ...mostFirst(column, reading, at)]),
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
  return [sortSpan(at, said > 0 ? end + comma + said : end, sort)];
}

function sortSpan(start: number, end: number, sort: TableSort): Span {
  return { start, end, weight: WEIGHT.certain, meaning: { type: 'table_sort', sort } };
}
