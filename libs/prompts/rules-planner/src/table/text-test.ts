import { listOf, matchPhrase, parsePhrases } from '../language/phrase-list.js';
import type { Read } from '../language/read.js';
import type { Reading } from '../language/recogniser.js';
import type { ColumnTest } from './column-condition.js';

const STARTS = parsePhrases(
  'starts with | start with | starting with | begins with | beginning with | begin with',
);
const ENDS = parsePhrases('ends with | ending with | end with | ending in | ends in | end in');
const CONTAINS =
  parsePhrases(`contains | containing | contain | includes | include | including | mentions | mention | mentioning
  | with the word`);
const TEXT_OPERATORS = [
  ['starts_with', STARTS],
  ['ends_with', ENDS],
  ['contains', CONTAINS],
] as const;
const FILLERS = parsePhrases('the | letter | letters | word | the letter | the letters | the word');

/** Words that end an unquoted text: "contains New York and …". */
const TEXT_ENDS = new Set(
  listOf('and | or | but | with | in | sorted | founded | added | that | where | which | from'),
);

/** Reads a test for text in the cells: "starts with A", "contains \"Bio\"". */
export function operatorTest(reading: Reading, at: number): Read<ColumnTest> | null {
  for (const [op, list] of TEXT_OPERATORS) {
    const length = matchPhrase(reading.words, at, list);
    if (length === 0) continue;
    const filler = matchPhrase(reading.words, at + length, FILLERS);
    const start = at + length + filler;
    const value = textAt(reading, start);
    if (!value) continue;
    return { value: { test: { op, value: [value.value] } }, length: start - at + value.length };
  }
  return null;
}

/** Reads a text to compare with: quoted, with leading punctuation ("+49", ".de"), or the words up to an end word. */
function textAt(reading: Reading, at: number): Read<string> | null {
  const [first, second] = reading.tokens.slice(at, at + 2);
  if (!first || (first.kind === 'break' && first.folded !== '.')) return null;
  if (first.kind === 'quoted') return { value: first.text, length: 1 };
  if (first.kind !== 'mark' && first.kind !== 'break') {
    const words = plainText(reading, at);
    return { value: words.join(' '), length: words.length };
  }
  const isOneWord = second?.start === first.end && ['word', 'number'].includes(second.kind);
  return isOneWord ? { value: first.text + second.text, length: 2 } : null;
}

/** Returns the words of an unquoted text, at least one. */
function plainText({ tokens }: Reading, at: number): string[] {
  let end = at + 1;
  while (tokens[end]?.kind === 'word' && !TEXT_ENDS.has(tokens[end]?.folded ?? '')) end += 1;
  return tokens.slice(at, end).map(({ text }) => text);
}
