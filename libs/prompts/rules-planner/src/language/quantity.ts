import type { NumberRange } from '@quarry/directory';
import { matchPhrase, parsePhrases, type PhraseList } from './phrase-list.js';
import type { Read } from './read.js';
import type { Reading } from './recogniser.js';

const ONES =
  `one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen`.split(/\s+/);
const TENS = 'ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const UNITS: ReadonlyMap<string, number> = new Map([
  ...ONES.map((word, index) => [word, index + 1] as const),
  ...TENS.map((word, index) => [word, 10 * (index + 1)] as const),
]);
const SCALES: ReadonlyMap<string, number> = new Map([
  ['dozen', 12],
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1_000_000],
]);

/** A range and how it was said. */
export interface RangeReading {
  readonly range: NumberRange;
  /** True for "around 50". */
  readonly isAbout: boolean;
  /** True when a comparison or a second number made it a range. */
  readonly isExplicit: boolean;
  readonly isMoney: boolean;
  /** Bound as stated; null for a range of two numbers. The range contains the whole numbers that it permits. */
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
  const scale = scaleAt(words, at + 1);
  return scale === undefined ? { value, length: 1 } : { value: value * scale, length: 2 };
}

function readWords({ words }: Reading, at: number): Read<number> | null {
  const opensWithA = words[at] === 'a' || words[at] === 'an';
  if (opensWithA && !SCALES.has(words[at + 1] ?? '')) return null;
  let next = opensWithA ? at + 1 : at;
  let value = opensWithA ? 1 : 0;
  for (; unitAt(words, next) > 0; next += 1) value += unitAt(words, next);
  if (next === at) return null;
  for (let scale = scaleAt(words, next); scale !== undefined; scale = scaleAt(words, next)) {
    value *= scale;
    next += 1;
    // "two hundred and fifty"
    const tail = words[next] === 'and' ? next + 1 : next;
    const unit = unitAt(words, tail);
    if (unit === 0 || scale < 100) continue;
    value += unit;
    next = tail + 1;
  }
  return { value, length: next - at };
}

/** @returns 0 where no number word stands */
function unitAt(words: Reading['words'], at: number): number {
  return UNITS.get(words[at] ?? '') ?? 0;
}

function scaleAt(words: Reading['words'], at: number): number | undefined {
  return SCALES.get((words[at] ?? '').replace(/s$/, ''));
}

type Bound = 'above' | 'from' | 'below' | 'to' | 'exactly' | 'about';

type BoundWords = ReadonlyArray<readonly [Bound, PhraseList]>;

/** Words before a number that make it a bound. */
const COMPARATORS: BoundWords = [
  [
    'above',
    parsePhrases(`more than | greater than | larger than | bigger than | higher than | in excess of | north of | over | above
      | exceeding | exceeds | >`),
  ],
  [
    'from',
    parsePhrases(`no fewer than | no less than | not less than | not fewer than | upwards of | at least | a minimum of
      | minimum of | minimum | min | > = | ≥`),
  ],
  ['below', parsePhrases('less than | fewer than | smaller than | lower than | under | below | <')],
  [
    'to',
    parsePhrases(
      `no more than | not more than | at most | a maximum of | maximum of | maximum | max | up to | < = | ≤`,
    ),
  ],
  ['exactly', parsePhrases('exactly | =')],
  [
    'about',
    parsePhrases(
      'around | about | roughly | approximately | approx | circa | ca | some | nearly | almost | ~',
    ),
  ],
];
/** Words after a number that make it a bound. */
const TRAILERS: BoundWords = [
  [
    'from',
    parsePhrases(
      'or more | or above | or higher | or larger | or over | and above | and up | and more | plus | +',
    ),
  ],
  ['to', parsePhrases('or fewer | or less | or below | or under | or smaller | and below')],
];

/** @returns the bound that the longest of its words at a position stand for */
function boundAt({ words }: Reading, at: number, table: BoundWords): Read<Bound> | null {
  const found = table.map(([value, list]) => ({ value, length: matchPhrase(words, at, list) }));
  const longest = found.reduce((a, b) => (b.length > a.length ? b : a));
  return longest.length > 0 ? longest : null;
}

/** Relative tolerance of "around": "around 50" is within this share of 50. */
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
  const isOpened = words[at] === 'between' || words[at] === 'from';
  const start = isOpened ? at + 1 : at;
  const low = readNumber(reading, start);
  const next = start + (low?.length ?? 0) + 1;
  const links = isOpened ? ['and', 'to', '-', 'through', 'until'] : ['-', 'to'];
  if (!low || !links.includes(words[next - 1] ?? '')) return null;
  const high = readNumber(reading, next);
  if (!high) return null;
  const isMoney = isMoneyAt(reading, start) || isMoneyAt(reading, next);
  const range = { min: Math.min(low.value, high.value), max: Math.max(low.value, high.value) };
  const value = { range, isAbout: false, isExplicit: true, isMoney, comparison: null };
  return { value, length: next + high.length - at };
}

function readCompared(reading: Reading, at: number): Read<RangeReading> | null {
  const before = boundAt(reading, at, COMPARATORS);
  const skip = before?.length ?? 0;
  const number = readNumber(reading, at + skip);
  if (!number) return null;
  const after = boundAt(reading, at + skip + number.length, TRAILERS);
  const bound = before?.value ?? after?.value ?? 'exactly';
  // "At least 50 or more" says it twice; in "under 50 or more" the second half belongs to something else.
  const tail = after?.value === bound ? after.length : 0;
  return {
    value: {
      range: boundedBy(bound, number.value),
      isAbout: bound === 'about',
      isExplicit: before !== null || after !== null,
      isMoney: isMoneyAt(reading, at + skip),
      comparison: { bound, value: number.value },
    },
    length: skip + number.length + tail,
  };
}

/** @returns the whole numbers that a bound permits */
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

function isMoneyAt(reading: Reading, at: number): boolean {
  return reading.tokens[at]?.isMoney === true;
}
