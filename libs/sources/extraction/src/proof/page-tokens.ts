/** Value found in a folded text, with its range. */
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
/** Scale word after a number (million, k); either may have Markdown emphasis. */
const SCALE = new RegExp(
  `^(?:\\*\\*|_)*[ -]?(?:\\*\\*|_)*(${Object.keys(SCALES)
    .sort((a, b) => b.length - a.length)
    .join('|')})(?![\\p{L}\\p{N}])`,
  'u',
);
const SCALE_REACH = 20;
const CURRENCY = '\\p{Sc}|(?:usd|eur|gbp|chf|jpy|sek|nok|dkk|cad|aud|euros?|dollars?|pounds?)(?!\\p{L})';
const CURRENCY_BEFORE = new RegExp(`(?<!\\p{L})(?:${CURRENCY})[ *_]{0,4}$|\\p{Sc}[ *_]{0,4}$`, 'u');
const CURRENCY_BEHIND = new RegExp(`^[ *_]{0,4}(?:${CURRENCY})`, 'u');
/** Words after a measure in metres. */
const DIMENSION =
  /^ (?:(?:high|tall|long|wide|deep|thick|across|above|below|away|apart|hoch|lang|breit|tief)(?!\p{L})|[x×] ?\d)/u;
const UNIT = /^(?:px|kg|km|cm|mm|gb|mb|eur|usd|gbp|chf|st|nd|rd|th)(?!\p{L})/u;
const NUMBER = /\d+(?:[.,' ]\d+)*/gu;

/**
 * Finds the unambiguous numbers of a folded text. A number with a scale word is multiplied (`3 million`); a number that is
 * part of a word, an address, a fraction, a range or a date is skipped.
 * @returns the numbers with their ranges; a following unit is not part of the range
 */
export function numbersIn(text: string): Array<Token<number>> {
  const found: Array<Token<number>> = [];
  const phones = phonesIn(text).filter(({ value }) => value.startsWith('+'));
  const taken = [...datesIn(text), ...phones, ...linksIn(text)];
  for (const { 0: run, index } of text.matchAll(NUMBER))
    for (const { digits, at } of splitRun(run)) {
      const from = index + at;
      const to = from + digits.length;
      if (taken.some((other) => other.from < to && from < other.to)) continue;
      if (isJoinedBefore(text, from) || isJoinedBehind(text, to)) continue;
      if (/^\/\d/.test(text.slice(to, to + 2)) && !isRating(text, digits, from, to)) continue;
      const scale = scaleOf(text, from, to);
      if (scale === 'unclear') continue;
      const isNegative = text[from - 1] === '-' && !/[\p{L}\p{N})]/u.test(text[from - 2] ?? ' ');
      for (const value of readingsOf(digits)) {
        const scaled = roundProduct(value * (scale ? SCALES[scale[1]!]! : 1));
        found.push({ value: isNegative ? -scaled : scaled, from: isNegative ? from - 1 : from, to });
      }
    }
  return found;
}

/**
 * Returns whether the text before digits makes them part of a word, a path, a range or an order number: `AB-1200`, `x_5`,
 * `x:80`.
 */
function isJoinedBefore(text: string, from: number): boolean {
  const before = text.slice(Math.max(0, from - 40), from);
  // Underscores are Markdown emphasis; one that belongs to the text is escaped with a backslash.
  if (/[\p{L}\p{N}]_*$|\\_+$|\/$/u.test(before)) return true;
  if (/[\p{L}\p{N}][.@-]$/u.test(before)) return true;
  return /[\p{L}\p{N}]:$/u.test(before) && !LABEL.test(before);
}

/** A single word with a colon: `Employees:250`. Labels of ports and phone numbers are excluded. */
const LABEL = /(?:^|[\s|*(])(?!(?:localhost|host|port|tel|sms|fax|callto|isbn|issn|doi):$)\p{L}{3,}:$/u;

/**
 * Returns whether the text after digits makes them part of a longer number, an address or a range: `5½`, `7@x`, `10-50`,
 * `10:30`.
 */
function isJoinedBehind(text: string, to: number): boolean {
  return /^(?:@|[-:]\d| ?[\u00bc-\u00be\u2150-\u215f]|\p{N}|\\?_+[\p{L}\p{N}])/u.test(text.slice(to, to + 4));
}

/**
 * Returns whether it is a rating out of five or ten: `4.5/5`. Without decimals, surrounding words may show that it is a
 * fraction or a date.
 */
function isRating(text: string, digits: string, from: number, to: number): boolean {
  const out = /^\/(5|10)(?:[.,]0)?(?![\p{L}\p{N}/]|[.,]\d|-\d)/u.exec(text.slice(to, to + 8));
  const [mark] = readingsOf(digits);
  if (!out || mark === undefined || mark > Number(out[1])) return false;
  const isPart = /^ (?:of|der|des|de|du)(?!\p{L})/u.test(text.slice(to + out[0].length));
  const isDay =
    /(?<!\p{L})(?:on|by|from|until|till|since|before|after|dated?|am|vom|bis|seit)[ :]{1,2}$/u.test(
      text.slice(Math.max(0, from - 12), from),
    );
  return /[.,]/.test(digits) || (!isPart && !isDay);
}

/**
 * Finds the scale word after a number. The letters m, k and b count only directly after the number or next to a currency:
 * `5m`, `$5 m`, but not `5 m high`.
 * @returns a match with the word as its first group; null when there is none; `unclear` when the following letters are
 *   ambiguous
 */
function scaleOf(text: string, from: number, to: number): RegExpExecArray | null | 'unclear' {
  const behind = text.slice(to, to + SCALE_REACH);
  const scale = SCALE.exec(behind);
  if (!scale) return /^\p{L}/u.test(behind) && !UNIT.test(behind) ? 'unclear' : null;
  const word = scale[1]!;
  if (!/^[mkb]$/.test(word)) return scale;
  const rest = text.slice(to + scale[0].length, to + scale[0].length + SCALE_REACH);
  const isMoney =
    CURRENCY_BEFORE.test(text.slice(Math.max(0, from - 12), from)) || CURRENCY_BEHIND.test(rest);
  if (isMoney) return scale;
  if (word === 'm' && DIMENSION.test(rest)) return null;
  return /[ -]/.test(scale[0]) ? 'unclear' : scale;
}

/**
 * Splits digits with spaces. They are one number only if all further groups have three digits: `12 500`, but not `2019 35`.
 */
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
 * Parses digits with separators. A single type of separator before groups of three is a thousands separator, in any locale:
 * `1.234` is 1234, but `0.125` is a decimal.
 * @returns the possible values; empty when no locale formats a number like this
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

/** Removes the binary rounding error of a multiplication: 1.1 million is 1100000. */
function roundProduct(value: number): number {
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

/** @returns the unambiguous dates of a folded text, as `YYYY-MM-DD` */
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

/** Bounded, and anchored at the start of a word, because it runs on untrusted quotes. */
const EMAIL =
  /(?<![\p{L}\p{N}])[\p{L}\p{N}][\p{L}\p{N}._%+'-]{0,200}@(?:[\p{L}\p{N}-]{1,63}\.)+\p{L}{2,63}/gu;
/** @returns e-mail addresses of a folded text */
export function emailsIn(text: string): Array<Token<string>> {
  return [...text.matchAll(EMAIL)].map(({ 0: value, index }) => ({
    value,
    from: index,
    to: index + value.length,
  }));
}

const ADDRESS = /(?:https?:\/\/|(?<![\p{L}\p{N}@./_-])www\.)(?:(?!\]\()[^\s<>'|])+/gu;
/** @returns web addresses of a folded text, with or without a scheme, without trailing punctuation */
export function addressesIn(text: string): Array<Token<string>> {
  return [...text.matchAll(ADDRESS)].map(({ 0: whole, index }) => {
    const value = whole.replace(/[.,;:!?)\]}]+$/u, '');
    return { value, from: index, to: index + value.length };
  });
}

/** @returns the ranges of addresses and Markdown link targets, in which numbers are not read */
function linksIn(text: string): Array<Token<string>> {
  const targets = [...text.matchAll(/\]\(([^\s)]+)/gu)].map(({ 0: value, index }) => ({
    value,
    from: index,
    to: index + value.length,
  }));
  return [...addressesIn(text), ...targets];
}

const PHONE = /(?<![\p{L}\p{N}])(?:\+|00)?\(?\d(?:[\d\s()./-]*\d)(?![\p{L}\p{N}])/gu;
const PHONE_DIGITS_MIN = 6;
/** Maximum number of digits of a telephone number, with country code. Source: ITU-T E.164, section 6.2. */
const PHONE_DIGITS_MAX = 15;
/** A postcode after a phone number, before the name of a town. */
const POSTCODE = /\s(?:\d{5}|\d{4})$/u;

/**
 * Finds the digits of possible telephone numbers; with `+` for a number with a country code. If a following postcode makes
 * a number too long (`+49 30 12345678 10115 Berlin`), it is read without the postcode.
 */
export function phonesIn(text: string): Array<Token<string>> {
  return [...text.matchAll(PHONE)].flatMap(({ 0: whole, index }) => {
    const isTooLong = phoneDigits(whole).replace('+', '').length > PHONE_DIGITS_MAX;
    const isTown = /^ \p{L}{2}/u.test(text.slice(index + whole.length));
    const placeName = isTooLong && isTown ? whole.replace(POSTCODE, '').trimEnd() : whole;
    const value = phoneDigits(placeName);
    return value.length < PHONE_DIGITS_MIN ? [] : [{ value, from: index, to: index + placeName.length }];
  });
}

/** @returns the digits of a telephone number, with a leading 00 as `+` and without `(0)` between country and area code */
export function phoneDigits(text: string): string {
  const trimmed = text.trim();
  const isInternational = /^(?:\+|00)/.test(trimmed);
  const digits = trimmed.replace(/\(0\)/g, '').replace(/\D/g, '');
  return isInternational ? `+${digits.replace(/^00/, '')}` : digits;
}
