import type { NumberRange } from '@quarry/directory';
import { matchPhrase, parsePhrases } from '../phrase-list.js';
import { readNumber, readRange } from '../quantity.js';
import type { Read } from '../read.js';
import type { Reading } from '../recogniser.js';

const YEAR_MIN = 1000;
const YEAR_MAX = 2100;
const AFTER = parsePhrases('after', 'later than', 'newer than', 'more recently than', 'post');
const SINCE = parsePhrases('since | from | starting in | starting | no earlier than | not before | ≥ | > =');
const BEFORE = parsePhrases('before', 'prior to', 'earlier than', 'pre', 'older than');
const UNTIL = parsePhrases('until', 'up to', 'no later than', 'by', 'till', '≤');
export const OR_LATER =
  parsePhrases(`or later | or newer | or after | onwards | onward | and later | and after | + | and onwards | or more recently
  | or more recent`);
export const OR_EARLIER = parsePhrases('or earlier', 'or before', 'or older', 'and earlier', 'and before');
/** Words for a stretch that ends now. */
export const LAST =
  parsePhrases(`in the last | in the past | within the last | within the past | over the last | over the past | during the last
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
  const { words, referenceYear } = reading;
  const lead = matchPhrase(words, at, LAST);
  if (lead === 0) return null;
  const since = (years: number, end: number) => yearsOf(referenceYear - years, null, end - at);
  if (words[at + lead] === 'decade') return since(10, at + lead + 1);
  const number = readNumber(reading, at + lead);
  if (!number) return null;
  const end = at + lead + number.length + 1;
  const unit = words[end - 1];
  if (unit === 'decades') return since(number.value * 10, end);
  if (unit !== 'years' && unit !== 'year') return null;
  const isAge = words[end] === 'old' || words[end] === 'ago';
  const isWindow = /last|past|\byounger\b/.test(words.slice(at, at + lead).join(' '));
  return isAge || isWindow || isAfterVerb ? since(number.value, end + (isAge ? 1 : 0)) : null;
}

function yearsOf(min: number | null, max: number | null, length: number): Read<NumberRange> {
  return { value: { min, max }, length };
}

/** "more than 20 years old", "at least 10 years old", "older than 50 years", "5-10 years old". */
function ageAt(reading: Reading, at: number): Read<NumberRange> | null {
  const { words, referenceYear: year } = reading;
  const isOlder = words[at] === 'older' && words[at + 1] === 'than';
  const start = isOlder ? at + 2 : at;
  const ages = readRange(reading, start);
  const end = start + (ages?.length ?? 0) + 1;
  if (!ages || !/^years?$/.test(words[end - 1] ?? '')) return null;
  const hasOld = words[end] === 'old' || words[end] === 'ago';
  if (!hasOld && !isOlder) return null;
  const length = end + (hasOld ? 1 : 0) - at;
  const { min, max } = ages.value.range;
  if (isOlder) return yearsOf(null, year - (min ?? 0) - 1, length);
  return yearsOf(max === null ? null : year - max, min === null ? null : year - min, length);
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
  return yearsOf(first, first + 9, next + 1 - at);
}

/** "between 1950 and 1980", "from 2015 to 2020", "2015-2020". */
function yearRangeAt(reading: Reading, at: number): Read<NumberRange> | null {
  const found = readRange(reading, at);
  if (!found) return null;
  const { range, isMoney, isAbout } = found.value;
  if (isMoney || isAbout || range.min === range.max || !isYear(range.min) || !isYear(range.max)) return null;
  return { value: range, length: found.length };
}

/** "after 2015", "since 2010", "before 1950", "2015 or later"; a bare year only after a verb. */
function boundedYearAt(reading: Reading, at: number, isAfterVerb: boolean): Read<NumberRange> | null {
  const { words } = reading;
  const lengths = [AFTER, SINCE, BEFORE, UNTIL].map((list) => matchPhrase(words, at, list));
  const lead = Math.max(...lengths);
  const year = yearAt(reading, at + lead);
  if (year === null) return null;
  const [isAfter, isSince, isBefore, isUntil] = lengths.map((length) => length > 0);
  const end = at + lead + 1;
  if (isAfter) return yearsOf(year + 1, null, end - at);
  if (isBefore) return yearsOf(null, year - 1, end - at);
  if (isUntil) return yearsOf(null, year, end - at);
  const later = matchPhrase(words, end, OR_LATER);
  if (isSince || later > 0) return yearsOf(year, null, end + later - at);
  const earlier = matchPhrase(words, end, OR_EARLIER);
  if (earlier > 0) return yearsOf(null, year, end + earlier - at);
  return isAfterVerb ? yearsOf(year, year, end - at) : null;
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
