import { COMPANY_ATTRIBUTES, type FilterName, type Measure, type NumberRange } from '@quarry/directory';
import type { Span } from '../meaning.js';
import { matchPhrase, parsePhrases, type PhraseList } from '../phrase-list.js';
import { readRange, type RangeReading } from '../quantity.js';
import type { Read } from '../read.js';
import { spanAt, WEIGHT, type Reading, type Recogniser } from '../recogniser.js';

/** An attribute that is a number, and the words by which prompts speak of it. */
export interface SpokenMeasure {
  readonly on: FilterName<'range'>;
  readonly noun: string;
  readonly before: PhraseList;
  readonly after: PhraseList;
  readonly doubtful: PhraseList;
}

/** @returns what the attributes of a unit are called */
export function measuresIn(unit: Measure['unit']): SpokenMeasure[] {
  return COMPANY_ATTRIBUTES.flatMap(({ filters, measure }) =>
    measure?.unit === unit
      ? {
          on: Object.keys(filters)[0] as FilterName<'range'>,
          noun: measure.noun,
          before: parsePhrases(...measure.before),
          after: parsePhrases(...measure.after),
          doubtful: parsePhrases(...measure.doubtful),
        }
      : [],
  );
}

const COUNTED = measuresIn('count');
const MONEY = measuresIn('usd');
const LINKS_TO_COUNT = new Set('of : is being a size count range with are = was has'.split(' '));
const LINKS_TO_MONEY = new Set(['of', ':', 'is', 'a', 'usd']);
const SHOWN_BY = new Set('with of having has have had employ employing employs team teams and or'.split(' '));
const CURRENCY_WORDS = new Set(['usd', 'dollars', 'dollar', 'eur', 'euros', 'euro', 'gbp', 'pounds']);

/** Counts, with the unit before or after: "50-200 employees", "headcount over 1,000", "10+ person teams". */
export const countedRecogniser: Recogniser = (reading, at) =>
  COUNTED.flatMap((measure) =>
    [countBefore(measure, reading, at), countBehind(measure, reading, at)].flatMap((count) =>
      count ? [countSpan(measure, at, count)] : [],
    ),
  );

/** Money beside its noun: "revenue over $10m", "$5M-$20M in revenue". Without one its meaning is not known. */
export const moneyRecogniser: Recogniser = (reading, at) => [
  ...MONEY.flatMap((measure) => [...moneyBehind(measure, reading, at), ...moneyBefore(measure, reading, at)]),
  ...loneMoney(reading, at),
];

/** Ranges that are alternatives, and whether the first was said as "around". */
type Count = Read<{ readonly ranges: readonly NumberRange[]; readonly isAbout: boolean }>;

function countBefore(measure: SpokenMeasure, reading: Reading, at: number): Count | null {
  const found = readRange(reading, at);
  if (!found || found.value.isMoney) return null;
  const { range, isAbout } = found.value;
  let next = at + found.length;
  // "50 or 60 employees": the unit of both stands behind the second.
  const other = reading.words[next] === 'or' ? countBefore(measure, reading, next + 1) : null;
  if (other?.value.ranges.length === 1)
    return {
      value: { ranges: [range, ...other.value.ranges], isAbout },
      length: next + 1 + other.length - at,
    };
  if (['total', 'global'].includes(reading.words[next] ?? '')) next += 1;
  const unit =
    matchPhrase(reading.words, next, measure.after) || doubtfulUnit(measure, reading, at, next, found.value);
  return unit > 0 ? { value: { ranges: [range], isAbout }, length: next + unit - at } : null;
}

function doubtfulUnit(
  { doubtful }: SpokenMeasure,
  reading: Reading,
  at: number,
  next: number,
  value: RangeReading,
): number {
  // "20 or 30 people": what stands before the first number decides for both.
  const isSecond = reading.words[at - 1] === 'or' && reading.tokens[at - 2]?.kind === 'number';
  const first = isSecond ? at - 2 : at;
  const isShown = value.isExplicit || SHOWN_BY.has(reading.words[first - 1] ?? '');
  // "up to 30 people" and "around 50 people" at the head of a prompt ask for rows.
  const isAsked = first === 0 || /^(find|get|me|give|list|us|show)$/.test(reading.words[first - 1] ?? '');
  return isShown && !isAsked ? matchPhrase(reading.words, next, doubtful) : 0;
}

function countBehind(measure: SpokenMeasure, reading: Reading, at: number): Count | null {
  const next = behindNoun(measure, reading, at, LINKS_TO_COUNT);
  const found = next === null ? null : readRange(reading, next);
  if (next === null || !found || found.value.isMoney) return null;
  const end = next + found.length;
  const unit =
    matchPhrase(reading.words, end, measure.after) || matchPhrase(reading.words, end, measure.doubtful);
  const { range, isAbout } = found.value;
  return { value: { ranges: [range], isAbout }, length: end + unit - at };
}

/** @returns where the number may begin, behind the noun and the small words that link them; null without a noun */
function behindNoun(
  { before }: SpokenMeasure,
  { words }: Reading,
  at: number,
  links: ReadonlySet<string>,
): number | null {
  const noun = matchPhrase(words, at, before);
  if (noun === 0) return null;
  let next = at + noun;
  while (links.has(words[next] ?? '')) next += 1;
  return next;
}

function countSpan({ on, noun }: SpokenMeasure, start: number, { value, length }: Count): Span {
  const { ranges, isAbout } = value;
  const note = `“Around” was read as ${ranges[0]?.min} to ${ranges[0]?.max} ${noun}.`;
  return measureSpan(on, start, start + length, ranges, isAbout ? note : undefined);
}

function moneyBehind(measure: SpokenMeasure, reading: Reading, at: number): Span[] {
  const next = behindNoun(measure, reading, at, LINKS_TO_MONEY);
  const sum = next === null ? null : sumAt(reading, next);
  return next !== null && sum ? [moneySpan(measure, reading, at, next + sum.length, sum.value)] : [];
}

function moneyBefore(measure: SpokenMeasure, reading: Reading, at: number): Span[] {
  const sum = sumAt(reading, at);
  const end = at + (sum?.length ?? 0);
  const noun = matchPhrase(reading.words, end, measure.after);
  return sum && noun > 0 ? [moneySpan(measure, reading, at, end + noun, sum.value)] : [];
}

/** A sum of money, written as one or of a thousand and more: "raised 3 rounds" speaks of none. */
function sumAt(reading: Reading, at: number): Read<NumberRange> | null {
  const found = readRange(reading, at);
  if (!found) return null;
  const { isMoney, range } = found.value;
  const currency = CURRENCY_WORDS.has(reading.words[at + found.length] ?? '') ? 1 : 0;
  const isSum = isMoney || currency > 0 || (range.max ?? range.min ?? 0) >= 1000;
  return isSum ? { value: range, length: found.length + currency } : null;
}

/** Recognises money without a known attribute, so that it does not become a number of rows. */
function loneMoney(reading: Reading, at: number): Span[] {
  const found = readRange(reading, at);
  if (!found?.value.isMoney) return [];
  return [spanAt(at, found.length, { type: 'unsupported' }, WEIGHT.cue)];
}

function moneySpan(
  { on, noun }: SpokenMeasure,
  reading: Reading,
  start: number,
  end: number,
  range: NumberRange,
): Span {
  const isForeign = /[€£]|\b(eur|euros?|gbp|pounds)\b/i.test(reading.raw.slice(start, end).join(' '));
  const name = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  const note = isForeign ? `${name} is compared in US dollars; the amount was not converted.` : undefined;
  return measureSpan(on, start, end, [range], note);
}

function measureSpan(
  on: FilterName<'range'>,
  start: number,
  end: number,
  ranges: readonly NumberRange[],
  note: string | undefined,
): Span {
  const meaning = { type: 'condition', condition: { on, ranges }, ...(note ? { note } : {}) } as const;
  return { start, end, weight: WEIGHT.quantity, meaning };
}
