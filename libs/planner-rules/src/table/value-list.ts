import { matchPhrase, phrases } from '../language/phrase-list.js';
import type { Read } from '../language/quantity.js';
import type { Reading } from '../language/recogniser.js';
import { knownValueAt } from './known-value.js';
import { isAsWritten, isUnmistakable } from './spoken-value.js';
import type { TableColumn } from './table-schema.js';

const JOINTS = phrases(',', 'or', 'and', '/', '&', ', or', ', and', 'and/or');
/** "Not Anna and not Bob": in a list of what is ruled out, each may be ruled out anew. */
const JOINTS_OF_RULED_OUT = phrases(
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
  const first = valueAt(column, reading, at);
  if (!first) return null;
  const values = [first.value];
  let end = at + first.length;
  for (;;) {
    const again = isRuledOut ? matchPhrase(reading.words, end, JOINTS_OF_RULED_OUT) : 0;
    const joint = again || matchPhrase(reading.words, end, JOINTS);
    const next = joint > 0 ? ownValueAt(column, reading, end + joint) : null;
    if (!next) break;
    values.push(next.value);
    end += joint + next.length;
  }
  // "Grade a or b" is a list; "grade a" may be anything.
  const isValue = isLinked || values.length > 1 || isOwn(reading, at, first);
  return isValue ? { value: [...new Set(values)], length: end - at } : null;
}

/** A quoted text, or a value that the column is known to hold. */
function valueAt(column: TableColumn, reading: Reading, at: number): Read<string> | null {
  const token = reading.tokens[at];
  if (token?.kind === 'quoted') return { value: token.text, length: 1 };
  return knownValueAt(column, reading, at);
}

/** A value that is no word of the sentence: "grade B and a customer" does not go on with "a". */
function ownValueAt(column: TableColumn, reading: Reading, at: number): Read<string> | null {
  const found = valueAt(column, reading, at);
  return found && isOwn(reading, at, found) ? found : null;
}

function isOwn(reading: Reading, at: number, { value, length }: Read<string>): boolean {
  return isUnmistakable(reading, at, length, value) || isAsWritten(reading, at, value);
}
