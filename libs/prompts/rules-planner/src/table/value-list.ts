import { parsePhrases } from '../language/phrase-list.js';
import { readList, type Read, type Reader } from '../language/read.js';
import type { Reading } from '../language/recogniser.js';
import { knownValueAt } from './known-value.js';
import { isAsWritten, isUnmistakable } from './spoken-value.js';
import type { TableColumn } from './table-schema.js';

const JOINTS = parsePhrases(',', 'or', 'and', '/', '&', ', or', ', and', 'and/or');
/** Joints in a list of exclusions, in which the negation may be repeated: "Not Anna and not Bob". */
const JOINTS_OF_RULED_OUT = parsePhrases(
  ', | or | and | / | & | , or | , and | and/or',
  'nor | , nor | and not | or not | , not | , and not | , or not | and nor',
);

/**
 * Reads values directly after their column's name: one, or a list connected by "or", "and" or commas.
 * @param isLinked true after "is", where even a function word must be the value
 */
export function valueListAt(
  column: TableColumn,
  reading: Reading,
  at: number,
  { isLinked, isRuledOut }: { readonly isLinked: boolean; readonly isRuledOut: boolean },
): Read<string[]> | null {
  const first: Reader<string> = (_reading, from) => valueAt(column, reading, from);
  // "Grade B and a customer" does not continue with "a", which is a function word here.
  const further: Reader<string> = (_reading, from) => {
    const found = valueAt(column, reading, from);
    return found && isOwn(reading, from, found) ? found : null;
  };
  const list = readList(reading, at, isRuledOut ? JOINTS_OF_RULED_OUT : JOINTS, first, further);
  // "Grade a or b" is a list; "grade a" is ambiguous.
  const isValue = isLinked || (list && list.value.length > 1) || further(reading, at) !== null;
  return list && isValue ? { value: [...new Set(list.value)], length: list.length } : null;
}

/** Reads a quoted text, or a known value of the column. */
function valueAt(column: TableColumn, reading: Reading, at: number): Read<string> | null {
  const token = reading.tokens[at];
  if (token?.kind === 'quoted') return { value: token.text, length: 1 };
  return knownValueAt(column, reading, at);
}

function isOwn(reading: Reading, at: number, { value, length }: Read<string>): boolean {
  return isUnmistakable(reading, at, length, value) || isAsWritten(reading, at, value);
}
