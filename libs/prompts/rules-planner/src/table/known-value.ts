import type { Read } from '../language/read.js';
import type { Reading } from '../language/recogniser.js';
import type { Token } from '../language/token.js';
import { valueKey, type TableColumn } from './table-schema.js';

/** Maximum number of words of a table's value that is searched in a prompt. */
const VALUE_WORDS_MAX = 9;

/** Returns the longest value of the column at a position, including commas and "&" within it. */
export function knownValueAt(column: TableColumn, reading: Reading, at: number): Read<string> | null {
  const values = valuesByKey(column);
  for (let length = VALUE_WORDS_MAX; length > 0; length -= 1) {
    const tokens = reading.tokens.slice(at, at + length);
    if (tokens.length < length || !isOneName(tokens)) continue;
    const value = values.get(valueKey(tokens.map(({ text }) => text).join(' ')));
    if (value !== undefined) return { value, length };
  }
  return null;
}

/**
 * Returns whether tokens can be one name. "Berlin and" is not: punctuation or "and" may only be inside, and a quoted text
 * is alone.
 */
function isOneName(tokens: readonly Token[]): boolean {
  const isOuter = ({ kind, folded }: Token): boolean => kind !== 'mark' && folded !== 'and';
  return (
    [...tokens.slice(0, 1), ...tokens.slice(-1)].every(isOuter) &&
    tokens.every(({ kind }) => kind !== 'break' && (kind !== 'quoted' || tokens.length === 1))
  );
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
