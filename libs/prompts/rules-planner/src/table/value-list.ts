import { parsePhrases } from '../language/phrase-list.js';
import { readList, type Read, type Reader } from '../language/read.js';
import type { Reading } from '../language/recogniser.js';
import { knownValueAt } from './known-value.js';
import { isAsWritten, isUnmistakable } from './spoken-value.js';
import type { TableColumn } from './table-schema.js';

const JOINTS = parsePhrases(',', 'or', 'and', '/', '&', ', or', ', and', 'and/or');
/** "Not Anna and not Bob": in a list of what is ruled out, each may be ruled out anew. */
const JOINTS_OF_RULED_OUT = parsePhrases(
  ', | or | and | / | & | , or | , and | and/or',
  'nor | , nor | and not | or not | , not | , and not | , or not | and nor',
);

/**
 * Values right after their column's name: one, or a list that "or", "and" or commas tie together.
 * @param isLinked behind "is", where even a small word must be the value
 */
export function valueListAt(
  column: TableColumn,
  reading: Reading,
  at: number,
  { isLinked, isRuledOut }: { readonly isLinked: boolean; readonly isRuledOut: boolean },
): Read<string[]> | null {
  const first: Reader<string> = (_reading, from) => valueAt(column, reading, from);
  // "Grade B and a customer" does not go on with "a", which is a word of the sentence.
  const further: Reader<string> = (_reading, from) => {
    const found = valueAt(column, reading, from);
    return found && isOwn(reading, from, found) ? found : null;
  };
  const list = readList(reading, at, isRuledOut ? JOINTS_OF_RULED_OUT : JOINTS, first, further);
  // "Grade a or b" is a list; "grade a" may be anything.
  const isValue = isLinked || (list && list.value.length > 1) || further(reading, at) !== null;
  return list && isValue ? { value: [...new Set(list.value)], length: list.length } : null;
}

/** A quoted text, or a value that the column is known to hold. */
function valueAt(column: TableColumn, reading: Reading, at: number): Read<string> | null {
  const token = reading.tokens[at];
  if (token?.kind === 'quoted') return { value: token.text, length: 1 };
  return knownValueAt(column, reading, at);
}

function isOwn(reading: Reading, at: number, { value, length }: Read<string>): boolean {
  return isUnmistakable(reading, at, length, value) || isAsWritten(reading, at, value);
}
