import { COMPANY_ATTRIBUTES, type FilterName, type Measure, type NumberRange } from '@quarry/directory';
import type { Span } from '../meaning.js';
import { matchPhrase, phrases, type PhraseList } from '../phrase-list.js';
import { readRange, type RangeReading } from '../quantity.js';
import { WEIGHT, type Reading, type Recogniser } from '../recogniser.js';

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
          before: phrases(...measure.before),
          after: phrases(...measure.after),
          doubtful: phrases(...measure.doubtful),
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
export const countedRecogniser: Recogniser = {
  name: 'counted',
  recognise: (reading, at) =>
    COUNTED.flatMap((measure) => [
      ...countBefore(measure, reading, at),
      ...countBehind(measure, reading, at),
    ]),
};

/** Money beside its noun: "revenue over $10m", "$5M-$20M in revenue". Without one its meaning is not known. */
export const moneyRecogniser: Recogniser = {
  name: 'money',
  recognise: (reading, at) => [
    ...MONEY.flatMap((measure) => [
      ...moneyBehind(measure, reading, at),
      ...moneyBefore(measure, reading, at),
    ]),
    ...loneMoney(reading, at),
  ],
};

function countBefore(measure: SpokenMeasure, reading: Reading, at: number): Span[] {
  const found = readRange(reading, at);
  if (!found || found.value.isMoney) return [];
  const other = alternativeAt(measure, reading, at + found.length);
  if (other) return [countSpan(measure, at, other.end, found.value, other.range)];
  let next = at + found.length;
  if (['total', 'global'].includes(reading.words[next] ?? '')) next += 1;
  const unit =
    matchPhrase(reading.words, next, measure.after) || doubtfulUnit(measure, reading, at, next, found.value);
  return unit > 0 ? [countSpan(measure, at, next + unit, found.value)] : [];
}

/** "50 or 60 employees": the unit of both stands behind the second. */
function alternativeAt(
  measure: SpokenMeasure,
  reading: Reading,
  at: number,
): { range: NumberRange; end: number } | null {
  const [span] = reading.words[at] === 'or' ? countBefore(measure, reading, at + 1) : [];
  const condition = span?.meaning.type === 'condition' ? span.meaning.condition : null;
  const [range] = condition && 'ranges' in condition && condition.ranges.length === 1 ? condition.ranges : [];
  return span && range ? { range, end: span.end } : null;
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

function countBehind(measure: SpokenMeasure, reading: Reading, at: number): Span[] {
  const next = behindNoun(measure, reading, at, LINKS_TO_COUNT);
  const found = next === null ? null : readRange(reading, next);
  if (next === null || !found || found.value.isMoney) return [];
  const end = next + found.length;
  const unit = [measure.after, measure.doubtful].map((list) => matchPhrase(reading.words, end, list));
  return [countSpan(measure, at, end + (unit.find((length) => length > 0) ?? 0), found.value)];
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

function countSpan(
  { on, noun }: SpokenMeasure,
  start: number,
  end: number,
  { range, isAbout }: RangeReading,
  other?: NumberRange,
): Span {
  const note = isAbout ? `“Around” was read as ${range.min} to ${range.max} ${noun}.` : undefined;
  return measured(on, start, end, other ? [range, other] : [range], note);
}

function moneyBehind(measure: SpokenMeasure, reading: Reading, at: number): Span[] {
  const next = behindNoun(measure, reading, at, LINKS_TO_MONEY);
  const sum = next === null ? null : sumAt(reading, next);
  return sum ? [moneySpan(measure, reading, at, sum.end, sum.range)] : [];
}

function moneyBefore(measure: SpokenMeasure, reading: Reading, at: number): Span[] {
  const sum = sumAt(reading, at);
  const noun = sum ? matchPhrase(reading.words, sum.end, measure.after) : 0;
  return sum && noun > 0 ? [moneySpan(measure, reading, at, sum.end + noun, sum.range)] : [];
}

/** A sum of money, written as one or of a thousand and more: "raised 3 rounds" speaks of none. */
function sumAt(reading: Reading, at: number): { range: NumberRange; end: number } | null {
  const found = readRange(reading, at);
  if (!found) return null;
  const { isMoney, range } = found.value;
  const end = currencyEnd(reading, at + found.length);
  const isSum = isMoney || end > at + found.length || (range.max ?? range.min ?? 0) >= 1000;
  return isSum ? { range, end } : null;
}

/** Money whose meaning the directory does not know must not become a number of rows. */
function loneMoney(reading: Reading, at: number): Span[] {
  const found = readRange(reading, at);
  if (!found?.value.isMoney) return [];
  return [{ start: at, end: at + found.length, weight: WEIGHT.cue, meaning: { type: 'unsupported' } }];
}

function currencyEnd({ words }: Reading, at: number): number {
  return CURRENCY_WORDS.has(words[at] ?? '') ? at + 1 : at;
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
  return measured(on, start, end, [range], note);
}

function measured(
  on: FilterName<'range'>,
  start: number,
  end: number,
  ranges: readonly NumberRange[],
  note: string | undefined,
): Span {
  const meaning = { type: 'condition', condition: { on, ranges }, ...(note ? { note } : {}) } as const;
  return { start, end, weight: WEIGHT.quantity, meaning };
}
