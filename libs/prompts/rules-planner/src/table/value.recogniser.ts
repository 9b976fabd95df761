import { isContent } from '../language/fragments.js';
import type { Span } from '../language/meaning.js';
import { matchPhrase } from '../language/phrase-list.js';
import { WEIGHT, type Reading, type Recogniser } from '../language/recogniser.js';
import { columnSpan, type ColumnTest } from './column-condition.js';
import { knownValueAt } from './known-value.js';
import { isUnmistakable } from './spoken-value.js';
import { partNote, valuesNamed, type TableColumn } from './table-schema.js';

const PART_WEIGHT = -5;

/** Recognises values of a table's columns without a check: "Industrials", "the Semiconductors sub-industry". */
export function valueRecogniser(columns: readonly TableColumn[]): Recogniser {
  return (reading, at) =>
    columns.flatMap((column) => [...valueFirst(column, reading, at), ...partOfValues(column, reading, at)]);
}

/**
 * Recognises a value with its column's name, or without it if unambiguous: "the Semiconductors sub-industry",
 * "Industrials".
 */
function valueFirst(column: TableColumn, reading: Reading, at: number): Span[] {
  if (column.type !== 'text') return [];
  const known = knownValueAt(column, reading, at);
  if (!known || !isUnmistakable(reading, at, known.length, known.value)) return [];
  const named = matchPhrase(reading.words, at + known.length, column.phrases);
  if (named === 0 && !column.isCategory) return [];
  const test: ColumnTest = { test: { op: 'one_of', value: [known.value] } };
  const weight = named > 0 ? WEIGHT.certain : WEIGHT.quantity;
  return [columnSpan(at, known.length + named, column, test, weight)];
}

/** Recognises words within several values of a category: "REITs". The weakest reading: any other word list wins. */
function partOfValues(column: TableColumn, reading: Reading, at: number): Span[] {
  if (!column.isCategory) return [];
  const tokens = reading.tokens.slice(at, at + 2);
  for (let length = tokens.length; length > 0; length -= 1) {
    if (!tokens.slice(0, length).every((token) => token.kind === 'word' && isContent(token))) continue;
    const phrase = tokens.slice(0, length).map(({ text }) => text);
    const { values, isExact } = valuesNamed(column, phrase.join(' '));
    if (values.length === 0 || isExact) continue;
    const note = partNote(phrase.join(' '), column, values);
    const test: ColumnTest = { test: { op: 'one_of', value: values }, note };
    return [columnSpan(at, length, column, test, PART_WEIGHT)];
  }
  return [];
}
