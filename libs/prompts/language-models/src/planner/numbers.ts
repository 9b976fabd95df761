import type { Span } from './words.js';

/** Number as written in a text. */
export interface SpokenNumber extends Span {
  /** Possible values: "1.000" is a thousand or one, "5m" five million. */
  readonly values: readonly number[];
}

/** Digits separated by points, commas, apostrophes or narrow spaces, and the suffix directly after them. */
const NUMBER =
  /(\d+(?:[.,'’\u00a0\u202f]\d+)*)\s?([kmb](?![\p{L}])|mn|mio|bn|mrd|tsd|million|billion|thousand|hundred|millionen|milliarden|tausend|millones|millions|milliards|mille|mil|miljoen|万|億|亿)?/giu;
const SCALES: ReadonlyArray<readonly [names: RegExp, scale: number]> = [
  [/^(k|tsd|thousand|tausend|mille|mil)$/i, 1e3],
  [/^(m|mn|mio|million|millions|millionen|millones|miljoen)$/i, 1e6],
  [/^(b|bn|mrd|billion|milliarden|milliards)$/i, 1e9],
  [/^hundred$/i, 100],
  [/^万$/, 1e4],
  [/^[億亿]$/, 1e8],
];
const WORDS: ReadonlyArray<readonly [word: string, value: number]> = (
  'one 1|two 2|three 3|four 4|five 5|six 6|seven 7|eight 8|nine 9|ten 10|eleven 11|twelve 12|dozen 12|fifteen 15|' +
  'twenty 20|thirty 30|forty 40|fifty 50|sixty 60|seventy 70|eighty 80|ninety 90|hundred 100|thousand 1000'
)
  .split('|')
  .map((each) => [each.replace(/ .*/, ''), Number(each.replace(/.* /, ''))] as const);

/** @returns the numbers that are written in digits, in any language */
export function numbersIn(text: string): SpokenNumber[] {
  return [...text.matchAll(NUMBER)].map((match) => {
    const [whole, digits = '', unit] = match;
    const scale = SCALES.find(([names]) => unit !== undefined && names.test(unit))?.[1] ?? 1;
    const values = readNumbers(digits).flatMap((value) => (scale === 1 ? [value] : [value * scale, value]));
    return { start: match.index, end: match.index + whole.trimEnd().length, values };
  });
}

/** @returns all possible values of the numbers of a text; number words are only supported in English */
export function valuesIn(text: string): number[] {
  const spoken: readonly string[] = text.toLowerCase().match(/[a-z]+/g) ?? [];
  const ofWords = WORDS.filter(([word]) => spoken.includes(word)).map(([, value]) => value);
  // "Two hundred" and "two dozen".
  const products = ofWords.flatMap((one) => ofWords.map((other) => one * other));
  return [...numbersIn(text).flatMap(({ values }) => values), ...ofWords, ...products];
}

/** Returns the values of digits with separators, whose meaning differs by country: both count if both are possible. */
function readNumbers(digits: string): number[] {
  const plain = Number(digits.replace(/[^\d]/g, ''));
  const marks = digits.match(/[^\d]/g) ?? [];
  if (marks.length !== 1 || !/[.,]/.test(marks[0]!)) return [plain];
  const decimal = Number(digits.replace(/[^\d]/, '.'));
  return /[.,]\d{3}$/.test(digits) ? [plain, decimal] : [decimal];
}
