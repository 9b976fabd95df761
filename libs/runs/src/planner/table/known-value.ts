import type { Read } from '../language/quantity.js';
import type { Reading } from '../language/recogniser.js';
import { valueKey, type TableColumn } from './table-schema.js';

/** Longest value of a table that is looked for, in words. */
const VALUE_WORDS_MAX = 9;

/** The longest value of the column that stands at a position, commas and "&" inside it included. */
export function knownValueAt(column: TableColumn, reading: Reading, at: number): Read<string> | null {
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
