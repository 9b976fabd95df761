import { matchPhrase, parsePhrases } from '../language/phrase-list.js';
import type { Reading } from '../language/recogniser.js';
import { countRecogniser } from '../language/recognisers/count.recogniser.js';
import { cueRecogniser } from '../language/recognisers/cue.recogniser.js';

/** Function words of any sentence. "Active" and "current" are not among them, since they may be values of a column. */
const SMALL_WORDS = parsePhrases(
  ...`a an the this that these those it its they them their we us our you your i my me mine he she his her
  is are was were be been being am do does did has have had will would shall should could can may might must
  in on at by to for from with within into onto via as per than then so and or nor but if when while of off out up
  no not non all any each every some who which whose what where how why please just only also too both either neither
  here there more most less least very`.split(/\s+/),
);
const CODE = /^[A-Z]{2,}$/;

/**
 * Returns whether words that equal a value mean it even when its column is not named. "In", "no" and "all" are function
 * words first; in quotation marks, or written as a code ("IN"), they are the value.
 */
export function isUnmistakable(reading: Reading, at: number, length: number, value: string): boolean {
  const isQuoted = length === 1 && reading.tokens[at]?.kind === 'quoted';
  return isQuoted || isCode(reading, at, length, value) || !isOfTheSentence(reading, at, length);
}

/**
 * Returns whether a value is written exactly as in the column. After the column's name, a single capital is a value too:
 * "grade A".
 */
export function isAsWritten({ raw }: Reading, at: number, value: string): boolean {
  return raw[at] === value && value === value.toUpperCase();
}

/**
 * Returns whether the value is a code in capitals. "CA OR TX" is written in capitals throughout, so that the "OR" is not a
 * code.
 */
function isCode(reading: Reading, at: number, length: number, value: string): boolean {
  const isCapitals = (index: number): boolean => CODE.test(reading.raw[index] ?? '');
  const isShouted = isCapitals(at - 1) && isCapitals(at + 1);
  return length === 1 && CODE.test(value) && isAsWritten(reading, at, value) && !isShouted;
}

/** Returns true when every word is a function word, a cue of the grammar or a number of rows. */
function isOfTheSentence(reading: Reading, at: number, length: number): boolean {
  for (let next = at; next < at + length;) {
    const spans = [...cueRecogniser(reading, next), ...countRecogniser(reading, next)];
    const cue = Math.max(
      0,
      ...spans.map(({ end }) => end - next).filter((taken) => next + taken <= at + length),
    );
    const taken = cue || matchPhrase(reading.words, next, SMALL_WORDS);
    if (taken === 0) return false;
    next += taken;
  }
  return true;
}
