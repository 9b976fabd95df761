/** Something that is read out of a folded text, with the range of all that belongs to it. */
export interface Token<Value> {
  value: Value;
  from: number;
  to: number;
}

const SCALES: Readonly<Record<string, number>> = {
  hundred: 1e2,
  thousand: 1e3,
  k: 1e3,
  tsd: 1e3,
  tausend: 1e3,
  million: 1e6,
  millions: 1e6,
  mio: 1e6,
  mn: 1e6,
  m: 1e6,
  billion: 1e9,
  billions: 1e9,
  bn: 1e9,
  b: 1e9,
  mrd: 1e9,
  trillion: 1e12,
};
const SCALE = new RegExp(
  `^ ?(${Object.keys(SCALES)
    .sort((a, b) => b.length - a.length)
    .join('|')})(?![\\p{L}\\p{N}])`,
  'u',
);
const NUMBER = /\d+(?:[.,' ]\d+)*/gu;

/**
 * Numbers of a folded text that can be read in one way. A number that a word of size follows is the product (`3 million`); one that
 * is part of a word, an address, a range or a date is none.
 * @returns the numbers with their ranges; the unit behind is not part of it
 */
export function numbersIn(text: string): Array<Token<number>> {
  const found: Array<Token<number>> = [];
  const phones = phonesIn(text).filter(({ value }) => value.startsWith('+'));
  const taken = [...datesIn(text), ...phones];
  for (const { 0: run, index } of text.matchAll(NUMBER))
    for (const { digits, at } of splitRun(run)) {
      const from = index + at;
      const to = from + digits.length;
      if (taken.some((other) => other.from < to && from < other.to)) continue;
      if (/[\p{L}\p{N}_]/u.test(text[from - 1] ?? '') || /[@/]/.test(text[to] ?? '')) continue;
      if (/[./@:]/.test(text[from - 1] ?? '') && /[\p{L}\p{N}]/u.test(text[from - 2] ?? '')) continue;
      // Ranges and numbers of orders: `10-50`, `AB-1200-7`.
      if (text[from - 1] === '-' && /[\p{L}\p{N}]/u.test(text[from - 2] ?? '')) continue;
      if (/^-\d/.test(text.slice(to, to + 2))) continue;
      const scale = SCALE.exec(text.slice(to, to + 12));
      if (
        !scale &&
        /\p{L}/u.test(text[to] ?? '') &&
        !/^(?:px|kg|km|cm|mm|gb|mb|eur|usd|gbp|chf|st|nd|rd|th)(?!\p{L})/u.test(text.slice(to))
      )
        continue;
      const isNegative = text[from - 1] === '-' && !/[\p{L}\p{N})]/u.test(text[from - 2] ?? ' ');
      for (const value of readingsOf(digits)) {
        const scaled = round(value * (scale ? SCALES[scale[1]!]! : 1));
        found.push({ value: isNegative ? -scaled : scaled, from: isNegative ? from - 1 : from, to });
      }
    }
  return found;
}

/** Digits with spaces between them are one number only where all further groups have three: `12 500`, and not `2019 35`. */
function splitRun(run: string): Array<{ digits: string; at: number }> {
  if (!run.includes(' ') || /^\d{1,3}(?: \d{3})+(?:[.,]\d+)?$/.test(run)) return [{ digits: run, at: 0 }];
  const parts: Array<{ digits: string; at: number }> = [];
  let at = 0;
  for (const digits of run.split(' ')) {
    parts.push({ digits, at });
    at += digits.length + 1;
  }
  return parts;
}

/**
 * With one kind of separator before groups of three it separates thousands, in whichever country: `1.234` is read as the larger number or
 * not at all, but for `0.125`.
 * @returns what digits with separators may mean; none where no custom writes a number so
 */
function readingsOf(digits: string): number[] {
  const bare = digits.replace(/(?<=\d)[ '](?=\d{3}(?!\d))/g, '');
  if (/^\d+$/.test(bare)) return [Number(bare)];
  if (/^[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*$/.test(bare)) return [Number(bare.replace(/[.,]/g, ''))];
  if (/^(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?$/.test(bare)) return [Number(bare.replaceAll(',', ''))];
  if (/^(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/.test(bare))
    return [Number(bare.replaceAll('.', '').replace(',', '.'))];
  return [];
}

/** The product with a word of size has the noise of binary fractions: 1.1 million is 1100000. */
function round(value: number): number {
  return Number(value.toPrecision(15));
}

const MONTHS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    ['january', 'jan', 'januar', 'janvier', 'enero'],
    ['february', 'feb', 'februar', 'fevrier', 'février', 'febrero'],
    ['march', 'mar', 'märz', 'mars', 'marzo'],
    ['april', 'apr', 'avril', 'abril'],
    ['may', 'mai', 'mayo'],
    ['june', 'jun', 'juni', 'juin', 'junio'],
    ['july', 'jul', 'juli', 'juillet', 'julio'],
    ['august', 'aug', 'août', 'agosto'],
    ['september', 'sep', 'sept', 'septembre', 'septiembre'],
    ['october', 'oct', 'oktober', 'okt', 'octobre', 'octubre'],
    ['november', 'nov', 'novembre', 'noviembre'],
    ['december', 'dec', 'dezember', 'dez', 'décembre', 'diciembre'],
  ].flatMap((names, month) => names.map((name) => [name, month + 1])),
);
const MONTH = Object.keys(MONTHS)
  .sort((a, b) => b.length - a.length)
  .join('|');
const EDGE = { before: '(?<![\\p{L}\\p{N}])(?<!\\d[-./])', after: '(?![\\p{L}\\p{N}])(?![-/]\\d)' };
const DATES: ReadonlyArray<readonly [RegExp, (parts: string[]) => [string, string, string]]> = [
  [
    new RegExp(`${EDGE.before}(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})(?=t\\d|\\b)${'(?![-/]\\d)'}`, 'gu'),
    ([y, m, d]) => [y!, m!, d!],
  ],
  [
    new RegExp(`${EDGE.before}(\\d{1,2})\\.\\s?(\\d{1,2})\\.\\s?(\\d{4})${EDGE.after}`, 'gu'),
    ([d, m, y]) => [y!, m!, d!],
  ],
  [
    new RegExp(
      `${EDGE.before}(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s(?:of\\s)?(${MONTH})\\.?,?\\s(\\d{4})${EDGE.after}`,
      'gu',
    ),
    ([d, m, y]) => [y!, String(MONTHS[m!]), d!],
  ],
  [
    new RegExp(`${EDGE.before}(${MONTH})\\.?\\s(\\d{1,2})(?:st|nd|rd|th)?,?\\s(\\d{4})${EDGE.after}`, 'gu'),
    ([m, d, y]) => [y!, String(MONTHS[m!]), d!],
  ],
];

/** @returns days that a folded text names in a way that can be read as one day only, as `YYYY-MM-DD` */
export function datesIn(text: string): Array<Token<string>> {
  return DATES.flatMap(([form, order]) =>
    [...text.matchAll(form)].flatMap(({ 0: whole, index, ...parts }) => {
      const [year, month, day] = order([parts[1]!, parts[2]!, parts[3]!].map(String));
      const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
      const time = new Date(`${value}T00:00:00Z`);
      const isDay = !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value);
      return isDay ? [{ value, from: index, to: index + whole.length }] : [];
    }),
  );
}

const EMAIL = /[\p{L}\p{N}][\p{L}\p{N}._%+'-]*@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/gu;
/** @returns e-mail addresses of a folded text */
export function emailsIn(text: string): Array<Token<string>> {
  return [...text.matchAll(EMAIL)].map(({ 0: value, index }) => ({
    value,
    from: index,
    to: index + value.length,
  }));
}

const ADDRESS = /https?:\/\/[^\s<>'|]+/gu;
/** @returns web addresses of a folded text, without the punctuation behind them */
export function addressesIn(text: string): Array<Token<string>> {
  return [...text.matchAll(ADDRESS)].map(({ 0: whole, index }) => {
    const value = whole.replace(/[.,;:!?)\]}]+$/u, '');
    return { value, from: index, to: index + value.length };
  });
}

const PHONE = /(?<![\p{L}\p{N}])(?:\+|00)?\(?\d(?:[\d\s()./-]*\d)(?![\p{L}\p{N}])/gu;
const PHONE_DIGITS_MIN = 6;
/** @returns digits of what may be telephone numbers; with `+` where the number names its country */
export function phonesIn(text: string): Array<Token<string>> {
  return [...text.matchAll(PHONE)].flatMap(({ 0: whole, index }) => {
    const value = phoneDigits(whole);
    return value.length < PHONE_DIGITS_MIN ? [] : [{ value, from: index, to: index + whole.length }];
  });
}

/** @returns the digits of a telephone number, a leading 00 as `+`; `(0)` between country and area is nobody's digit */
export function phoneDigits(text: string): string {
  const trimmed = text.trim();
  const isInternational = /^(?:\+|00)/.test(trimmed);
  const digits = trimmed.replace(/\(0\)/g, '').replace(/\D/g, '');
  return isInternational ? `+${digits.replace(/^00/, '')}` : digits;
}
