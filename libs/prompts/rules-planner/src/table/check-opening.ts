import { matchPhrase, parsePhrases } from '../language/phrase-list.js';
import type { Read } from '../language/read.js';
import type { Reading } from '../language/recogniser.js';

const LINKS = parsePhrases(
  'is | are | was | were | : | = | equals | equal to | of | that is | which is | being | has | that',
);
const NOTS =
  parsePhrases(`not | is not | are not | isnt | arent | wasnt | is no | are no | does not | do not | did not | doesnt | dont
  | didnt | must not | should not | may not | cannot | never | neither | is neither | other than | is other than
  | ! = | < > | ≠`);
/** Words between "not" or "is" and the compared value: "not equal to", "is one of". */
export const COMPARED_WITH = parsePhrases(
  `equal to | equal | equals | be | one of | any of | either | either of | among | in | in ( | one of ( | = | = =`,
);
const BLANKS = parsePhrases('empty', 'blank', 'missing', 'unknown', 'not known', 'not given', 'not there');
const SET = parsePhrases('set | known | given | there | present | filled | filled in | provided | available');

/** Phrases with "no" that are a bound and not a negation: "No more than 50". */
const BOUNDS_WITH_NOT = parsePhrases(
  'no more than | not more than | no fewer than | not fewer than | no less than | not less than',
);

/** Words between a column's name and its condition. */
export interface Opening {
  /** Number of words; 0 when a value may follow only if it is unambiguous. */
  readonly length: number;
  readonly isNegated: boolean;
}

/**
 * Returns the possible openings, "is not" first; "not" may also be the first word of a value, and "no more than" a bound.
 */
export function openingsAt(reading: Reading, at: number): Opening[] {
  const link = matchPhrase(reading.words, at, LINKS);
  const linked: Opening = { length: link, isNegated: false };
  if (matchPhrase(reading.words, at + link, BOUNDS_WITH_NOT) > 0) return [linked];
  const whole = notAt(reading, at);
  const not = whole > 0 ? whole : notAt(reading, at + link);
  return not === 0 ? [linked] : [{ length: whole > 0 ? whole : link + not, isNegated: true }, linked];
}

/** Returns the length of a negation. "!" negates only directly before a word; elsewhere it ends a sentence. */
function notAt({ words, tokens }: Reading, at: number): number {
  const isTied = words[at] === '!' && tokens[at + 1]?.start === tokens[at]?.end;
  return matchPhrase(words, at, NOTS) || (isTied ? 1 : 0);
}

/** @returns true for "set" and false for "empty" */
export function filledAt({ words }: Reading, at: number): Read<boolean> | null {
  const blank = matchPhrase(words, at, BLANKS);
  const length = blank || matchPhrase(words, at, SET);
  return length === 0 ? null : { value: blank === 0, length };
}
