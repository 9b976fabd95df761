import type { NumberRange } from '@quarry/directory';
import { matchPhrase, phrases } from '../phrase-list.js';
import { readNumber, readRange, type Read } from '../quantity.js';
import type { Reading } from '../recogniser.js';

const YEAR_MIN = 1000;
const YEAR_MAX = 2100;
const AFTER = phrases('after', 'later than', 'newer than', 'more recently than', 'post');
const SINCE = phrases('since | from | starting in | starting | no earlier than | not before | ≥ | > =');
const BEFORE = phrases('before', 'prior to', 'earlier than', 'pre', 'older than');
const UNTIL = phrases('until', 'up to', 'no later than', 'by', 'till', '≤');
export const OR_LATER =
  phrases(`or later | or newer | or after | onwards | onward | and later | and after | + | and onwards | or more recently
  | or more recent`);
export const OR_EARLIER = phrases('or earlier', 'or before', 'or older', 'and earlier', 'and before');
/** Words for a stretch that ends now. */
export const LAST =
  phrases(`in the last | in the past | within the last | within the past | over the last | over the past | during the last
  | from the last | from the past | the last | the past | last | past | less than | fewer than | under
  | no more than | younger than | at most`);

/**
 * Reads what is said of a year: "after 2015", "in the 1990s", "2015-2020".
 * @param isAfterVerb true where a word before has said that a year comes, so that a bare year counts
 */
export function readYears(reading: Reading, at: number, isAfterVerb: boolean): Read<NumberRange> | null {
  return (
    lastYearsAt(reading, at, isAfterVerb) ??
    ageAt(reading, at) ??
    decadeAt(reading, at, isAfterVerb) ??
    yearRangeAt(reading, at) ??
    boundedYearAt(reading, at, isAfterVerb)
  );
}

/** "in the last 5 years"; "less than 3 years ago" needs its verb or "old". */
function lastYearsAt(reading: Reading, at: number, isAfterVerb: boolean): Read<NumberRange> | null {
  const lead = matchPhrase(reading.words, at, LAST);
  if (lead === 0) return null;
  if (reading.words[at + lead] === 'decade') return inLastYears(reading, 10, lead + 1);
  const number = readNumber(reading, at + lead);
  if (!number) return null;
  let end = at + lead + number.length;
  const unit = reading.words[end];
  if (unit === 'decades') return inLastYears(reading, number.value * 10, end + 1 - at);
  if (unit !== 'years' && unit !== 'year') return null;
  end += 1;
  const isAge = reading.words[end] === 'old' || reading.words[end] === 'ago';
  const isWindow = /last|past/.test(reading.words.slice(at, at + lead).join(' '));
  if (!isAge && !isWindow && !isAfterVerb && !reading.words.slice(at, at + lead).includes('younger'))
    return null;
  return inLastYears(reading, number.value, end + (isAge ? 1 : 0) - at);
}

function inLastYears({ referenceYear }: Reading, years: number, length: number): Read<NumberRange> {
  return { value: { min: referenceYear - years, max: null }, length };
}

/** "more than 20 years old", "at least 10 years old", "older than 50 years", "5-10 years old". */
function ageAt(reading: Reading, at: number): Read<NumberRange> | null {
  const isOlder = reading.words[at] === 'older' && reading.words[at + 1] === 'than';
  const ages = readRange(reading, isOlder ? at + 2 : at);
  if (!ages) return null;
  let end = at + (isOlder ? 2 : 0) + ages.length;
  if (!/^years?$/.test(reading.words[end] ?? '')) return null;
  end += 1;
  const hasOld = reading.words[end] === 'old' || reading.words[end] === 'ago';
  if (!hasOld && !isOlder) return null;
  const { min, max } = ages.value.range;
  const year = reading.referenceYear;
  if (isOlder)
    return { value: { min: null, max: year - (min ?? 0) - 1 }, length: end + (hasOld ? 1 : 0) - at };
  return {
    value: { min: max === null ? null : year - max, max: min === null ? null : year - min },
    length: end + 1 - at,
  };
}

/** "the 1990s", "the 90s", "the early 2000s" is left to be reported. */
function decadeAt(reading: Reading, at: number, isAfterVerb: boolean): Read<NumberRange> | null {
  let next = at;
  while (['in', 'the', 'from', 'during', 'of'].includes(reading.words[next] ?? '')) next += 1;
  if (next === at && !isAfterVerb) return null;
  const match = /^(\d{2})?(\d)0s$/.exec(reading.words[next] ?? '');
  if (!match) return null;
  const century = match[1] ?? (Number(match[2]) <= 2 ? '20' : '19');
  const first = Number(`${century}${match[2]}0`);
  return { value: { min: first, max: first + 9 }, length: next + 1 - at };
}

/** "between 1950 and 1980", "from 2015 to 2020", "2015-2020". */
function yearRangeAt(reading: Reading, at: number): Read<NumberRange> | null {
  const found = readRange(reading, at);
  if (!found) return null;
  const { range, isMoney } = found.value;
  if (isMoney || range.min === null || range.max === null || range.min === range.max) return null;
  return isYear(range.min) && isYear(range.max) && !found.value.isAbout
    ? { value: range, length: found.length }
    : null;
}

/** "after 2015", "since 2010", "before 1950", "2015 or later"; a bare year only after a verb. */
function boundedYearAt(reading: Reading, at: number, isAfterVerb: boolean): Read<NumberRange> | null {
  const leads = [AFTER, SINCE, BEFORE, UNTIL].map((list) => matchPhrase(reading.words, at, list));
  const lead = Math.max(...leads);
  const year = yearAt(reading, at + lead);
  if (year === null) return null;
  const end = at + lead + 1;
  const [after, since, before, until] = leads as [number, number, number, number];
  if (after > 0) return { value: { min: year + 1, max: null }, length: end - at };
  if (before > 0) return { value: { min: null, max: year - 1 }, length: end - at };
  if (until > 0) return { value: { min: null, max: year }, length: end - at };
  const later = matchPhrase(reading.words, end, OR_LATER);
  if (since > 0) return { value: { min: year, max: null }, length: end + later - at };
  if (later > 0) return { value: { min: year, max: null }, length: end + later - at };
  const earlier = matchPhrase(reading.words, end, OR_EARLIER);
  if (earlier > 0) return { value: { min: null, max: year }, length: end + earlier - at };
  return isAfterVerb ? { value: { min: year, max: year }, length: end - at } : null;
}

/** @returns a year that stands by itself at a position, or null */
export function yearAt({ tokens }: Reading, at: number): number | null {
  const token = tokens[at];
  // "1,950" is an amount; a year is written without a separator.
  return token?.kind === 'number' && /^\d{4}$/.test(token.text) && isYear(token.value) ? token.value : null;
}

function isYear(value: number | null): value is number {
  return value !== null && value >= YEAR_MIN && value <= YEAR_MAX;
}
