import type { Span } from '../meaning.js';
import { matchPhrase, phrases } from '../phrase-list.js';
import { readRange } from '../quantity.js';
import { WEIGHT, type Reading, type Recogniser } from '../recogniser.js';

const NOUNS = phrases(
  'revenue',
  'revenues',
  'annual revenue',
  'yearly revenue',
  'arr',
  'turnover',
  'sales',
  'annual sales',
  'annual revenues',
  'recurring revenue',
  'in revenue',
  'of revenue',
  'in annual revenue',
  'in sales',
  'in turnover',
  'in arr',
  'a year in revenue',
  'revenue per year',
  'in yearly revenue',
  'of annual revenue',
  'in revenues',
);
const LINKS = new Set(['of', ':', 'is', 'between', 'a', 'usd', 'from']);
const CURRENCY_WORDS = new Set(['usd', 'dollars', 'dollar', 'eur', 'euros', 'euro', 'gbp', 'pounds']);

/** Yearly revenue: "revenue over $10m", "$5M-$20M in revenue". A sum of money without such a noun is not one. */
export const revenueRecogniser: Recogniser = {
  name: 'revenue',
  recognise(reading, at) {
    return [nounBefore(reading, at), nounAfter(reading, at), loneMoney(reading, at)].flatMap((span) =>
      span ? [span] : [],
    );
  },
};

function nounBefore(reading: Reading, at: number): Span | null {
  let next = at + matchPhrase(reading.words, at, NOUNS);
  if (next === at) return null;
  while (
    LINKS.has(reading.words[next] ?? '') &&
    reading.words[next] !== 'between' &&
    reading.words[next] !== 'from'
  )
    next += 1;
  const found = readRange(reading, next);
  if (!found) return null;
  return revenueSpan(reading, at, currencyEnd(reading, next + found.length), found.value.range);
}

function nounAfter(reading: Reading, at: number): Span | null {
  const found = readRange(reading, at);
  if (!found) return null;
  const end = currencyEnd(reading, at + found.length);
  const noun = matchPhrase(reading.words, end, NOUNS);
  const isMoney =
    found.value.isMoney ||
    end > at + found.length ||
    (found.value.range.min ?? found.value.range.max ?? 0) >= 1000;
  return noun > 0 && isMoney ? revenueSpan(reading, at, end + noun, found.value.range) : null;
}

/** "Raised more than $10M": money whose meaning the directory does not know must not become a number of rows. */
function loneMoney(reading: Reading, at: number): Span | null {
  const found = readRange(reading, at);
  if (!found?.value.isMoney) return null;
  return { start: at, end: at + found.length, weight: WEIGHT.cue, meaning: { type: 'unsupported' } };
}

function currencyEnd({ words }: Reading, at: number): number {
  return CURRENCY_WORDS.has(words[at] ?? '') ? at + 1 : at;
}

function revenueSpan(
  reading: Reading,
  start: number,
  end: number,
  range: { min: number | null; max: number | null },
): Span {
  const text = reading.raw.slice(start, end).join(' ');
  const isForeign = /[€£]|\b(eur|euros?|gbp|pounds)\b/i.test(text);
  const note = isForeign ? 'Revenue is compared in US dollars; the amount was not converted.' : undefined;
  const condition = { on: 'revenue_usd', ranges: [range] } as const;
  return {
    start,
    end,
    weight: WEIGHT.quantity,
    meaning: { type: 'condition', condition, ...(note ? { note } : {}) },
  };
}
