import type { NumberRange } from '@quarry/directory';
import type { Reading } from './recogniser.js';

const UNITS: Readonly<Record<string, number>> = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  seventy: 70,
  eighty: 80,
  ninety: 90,
};
const SCALES: Readonly<Record<string, number>> = {
  dozen: 12,
  hundred: 100,
  thousand: 1000,
  million: 1_000_000,
};

/** A value read from the prompt and the tokens it took. */
export interface Read<T> {
  readonly value: T;
  readonly length: number;
}

/** A range and how it was said. */
export interface RangeReading {
  readonly range: NumberRange;
  /** True for "around 50". */
  readonly isAbout: boolean;
  /** True when a comparison or a second number made it a range. */
  readonly isExplicit: boolean;
  readonly isMoney: boolean;
  /** The bound as it was said; null for a range of two numbers. The range holds the whole numbers that it allows. */
  readonly comparison: Comparison | null;
}

export interface Comparison {
  readonly bound: Bound;
  readonly value: number;
}

/** Reads a number in digits or words: 1,000 · "fifty" · "a dozen" · "two hundred" · "half a dozen". */
export function readNumber(reading: Reading, at: number): Read<number> | null {
  const token = reading.tokens[at];
  if (token?.kind === 'number' && token.value !== null) return readDigits(reading, at, token.value);
  if (reading.words[at] === 'half' && reading.words[at + 1] === 'a' && reading.words[at + 2] === 'dozen')
    return { value: 6, length: 3 };
  return readWords(reading, at);
}

function readDigits({ words }: Reading, at: number, value: number): Read<number> {
  const scale = SCALES[singularScale(words[at + 1])];
  return scale === undefined ? { value, length: 1 } : { value: value * scale, length: 2 };
}

function readWords({ words }: Reading, at: number): Read<number> | null {
  let next = at;
  let value = 0;
  const opensWithA = words[at] === 'a' || words[at] === 'an';
  if (opensWithA) {
    if (SCALES[words[at + 1] ?? ''] === undefined) return null;
    value = 1;
    next += 1;
  }
  for (; UNITS[words[next] ?? ''] !== undefined; next += 1) value += UNITS[words[next] ?? ''] ?? 0;
  if (next === at) return null;
  for (
    let scale = SCALES[singularScale(words[next])];
    scale !== undefined;
    scale = SCALES[singularScale(words[next])]
  ) {
    value *= scale;
    next += 1;
    // "two hundred and fifty"
    const tail = words[next] === 'and' ? next + 1 : next;
    if (UNITS[words[tail] ?? ''] !== undefined && scale >= 100) {
      value += UNITS[words[tail] ?? ''] ?? 0;
      next = tail + 1;
    }
  }
  return { value, length: next - at };
}

function singularScale(word: string | undefined): string {
  return (word ?? '').replace(/s$/, '');
}

type Bound = 'above' | 'from' | 'below' | 'to' | 'exactly' | 'about';

/** Words in front of a number that make it a bound. Longest first within a first word. */
const COMPARATORS: ReadonlyArray<readonly [string, Bound]> = [
  ['no more than', 'to'],
  ['not more than', 'to'],
  ['no fewer than', 'from'],
  ['no less than', 'from'],
  ['not less than', 'from'],
  ['not fewer than', 'from'],
  ['more than', 'above'],
  ['greater than', 'above'],
  ['larger than', 'above'],
  ['bigger than', 'above'],
  ['higher than', 'above'],
  ['in excess of', 'above'],
  ['north of', 'above'],
  ['upwards of', 'from'],
  ['at least', 'from'],
  ['a minimum of', 'from'],
  ['minimum of', 'from'],
  ['minimum', 'from'],
  ['min', 'from'],
  ['over', 'above'],
  ['above', 'above'],
  ['exceeding', 'above'],
  ['exceeds', 'above'],
  ['less than', 'below'],
  ['fewer than', 'below'],
  ['smaller than', 'below'],
  ['lower than', 'below'],
  ['under', 'below'],
  ['below', 'below'],
  ['at most', 'to'],
  ['a maximum of', 'to'],
  ['maximum of', 'to'],
  ['maximum', 'to'],
  ['max', 'to'],
  ['up to', 'to'],
  ['exactly', 'exactly'],
  ['around', 'about'],
  ['about', 'about'],
  ['roughly', 'about'],
  ['approximately', 'about'],
  ['approx', 'about'],
  ['circa', 'about'],
  ['ca', 'about'],
  ['some', 'about'],
  ['nearly', 'about'],
  ['almost', 'about'],
  ['> =', 'from'],
  ['< =', 'to'],
  ['≥', 'from'],
  ['≤', 'to'],
  ['>', 'above'],
  ['<', 'below'],
  ['=', 'exactly'],
  ['~', 'about'],
];
const comparators = COMPARATORS.map(([phrase, bound]) => ({ parts: phrase.split(' '), bound }));

/** Words behind a number that make it a bound. */
const TRAILERS: ReadonlyArray<readonly [string, Bound]> = [
  ['or more', 'from'],
  ['or above', 'from'],
  ['or higher', 'from'],
  ['or larger', 'from'],
  ['or over', 'from'],
  ['and above', 'from'],
  ['and up', 'from'],
  ['and more', 'from'],
  ['plus', 'from'],
  ['+', 'from'],
  ['or fewer', 'to'],
  ['or less', 'to'],
  ['or below', 'to'],
  ['or under', 'to'],
  ['or smaller', 'to'],
  ['and below', 'to'],
];
const trailers = TRAILERS.map(([phrase, bound]) => ({ parts: phrase.split(' '), bound }));

/** "Around 50" is taken as within this share of 50. */
export const ABOUT_SHARE = 0.2;

/**
 * Reads a number or a range of whole numbers: "50-200", "between 10 and 50", "from 10 to 50", "more than 1,000",
 * "at least 200", "10+", "50 or more", "around 50", "50".
 */
export function readRange(reading: Reading, at: number): Read<RangeReading> | null {
  return readBetween(reading, at) ?? readCompared(reading, at);
}

function readBetween(reading: Reading, at: number): Read<RangeReading> | null {
  const { words } = reading;
  const opener = words[at] === 'between' || words[at] === 'from' ? 1 : 0;
  const low = readNumber(reading, at + opener);
  if (!low) return null;
  const link = words[at + opener + low.length] ?? '';
  const isLinked =
    opener === 1 ? ['and', 'to', '-', 'through', 'until'].includes(link) : ['-', 'to'].includes(link);
  if (!isLinked) return null;
  const high = readNumber(reading, at + opener + low.length + 1);
  if (!high) return null;
  const isMoney = isMoneyAt(reading, at + opener) || isMoneyAt(reading, at + opener + low.length + 1);
  return {
    value: {
      range: ordered(low.value, high.value),
      isAbout: false,
      isExplicit: true,
      isMoney,
      comparison: null,
    },
    length: opener + low.length + 1 + high.length,
  };
}

function readCompared(reading: Reading, at: number): Read<RangeReading> | null {
  const before = comparators.find(({ parts }) =>
    parts.every((part, index) => reading.words[at + index] === part),
  );
  const skip = before?.parts.length ?? 0;
  // "more than about 50": the second hedge adds nothing.
  const number = readNumber(reading, at + skip);
  if (!number) return null;
  const next = at + skip + number.length;
  const after = trailers.find(({ parts }) =>
    parts.every((part, index) => reading.words[next + index] === part),
  );
  const bound = before?.bound ?? after?.bound ?? 'exactly';
  return {
    value: {
      range: boundedBy(bound, number.value),
      isAbout: bound === 'about',
      isExplicit: before !== undefined || after !== undefined,
      isMoney: isMoneyAt(reading, at + skip),
      comparison: { bound, value: number.value },
    },
    length:
      skip + number.length + (after && (!before || before.bound === after.bound) ? after.parts.length : 0),
  };
}

/** @returns the whole numbers that a bound allows. */
function boundedBy(bound: Bound, value: number): NumberRange {
  switch (bound) {
    case 'above':
      return { min: Math.floor(value) + 1, max: null };
    case 'from':
      return { min: value, max: null };
    case 'below':
      return { min: null, max: Math.ceil(value) - 1 };
    case 'to':
      return { min: null, max: value };
    case 'exactly':
      return { min: value, max: value };
    case 'about':
      return { min: Math.ceil(value * (1 - ABOUT_SHARE)), max: Math.floor(value * (1 + ABOUT_SHARE)) };
  }
}

function ordered(a: number, b: number): NumberRange {
  return { min: Math.min(a, b), max: Math.max(a, b) };
}

function isMoneyAt(reading: Reading, at: number): boolean {
  return reading.tokens[at]?.isMoney === true;
}
