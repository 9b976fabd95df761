import type { Span } from '../meaning.js';
import { listOf, matchPhrase, parsePhrases } from '../phrase-list.js';
import { readNumber } from '../quantity.js';
import type { Read } from '../read.js';
import { spanAt, WEIGHT, type Reading, type Recogniser } from '../recogniser.js';
import { entityRecogniser } from './cue.recogniser.js';

/** Maximum number of rows of any run; a larger number in a prompt is not a number of rows. */
export const COUNT_MAX = 100_000;
const HEDGES =
  parsePhrases(`up to | at most | max | maximum | a maximum of | no more than | around | about | roughly | approximately | some
  | at least | a list of | limit to | limit | limited to | exactly | a total of | the first | first | circa
  | approx | only | count : | limit : | how many : | number of results : | rows : | max results : | quantity :
  | the next | another | any`);
const UNITS =
  parsePhrases(`results | rows | records | entries | of them | in total | of those | items | hits | matches | total | max
  | maximum | results max | results maximum | rows max`);
const EVERYTHING =
  parsePhrases(`all | every | each | every single | all of the | all the | as many as possible | everyone | everybody
  | every one of the | as many as you can`);
/** Words before a number that measures something other than rows. */
const MEASURES = new Set(
  'than years year old months days percent % hours times million miles km kilometers million/year offices locations countries employees staff'.split(
    ' ',
  ),
);
const NOT_BEFORE = new Set(
  listOf(`than | founded | since | after | before | $ | # | between | version | iso | under | over | above | below
  | series | page`),
);

const PER_COMPANY =
  parsePhrases(`per company | per firm | per organisation | per organization | per account | for each company
  | from each company | at each company | of each company | each company | per business | per startup
  | in each company | per employer | each`);

/** Reads a number of rows: "20", "a dozen", "up to 30", "all", and the cap "2 per company". */
export const countRecogniser: Recogniser = (reading, at) => {
  const all = matchPhrase(reading.words, at, EVERYTHING);
  return [
    ...perCompany(reading, at),
    ...(all > 0 ? [spanAt(at, all, { type: 'count', value: null }, WEIGHT.cue)] : []),
    ...numberSpans(reading, at),
  ];
};

/** A whole number of at least one, behind the words that hedge it. */
function hedgedCount(reading: Reading, at: number): (Read<number> & { readonly hedge: number }) | null {
  const hedge = matchPhrase(reading.words, at, HEDGES);
  const count = readNumber(reading, at + hedge);
  if (!count || !Number.isInteger(count.value) || count.value < 1) return null;
  return { value: count.value, length: hedge + count.length, hedge };
}

function numberSpans(reading: Reading, at: number): Span[] {
  const { words } = reading;
  const count = hedgedCount(reading, at);
  if (!count || count.value > COUNT_MAX) return [];
  const end = at + count.length;
  if (reading.tokens[end - 1]?.isMoney || NOT_BEFORE.has(words[at - 1] ?? '')) return [];
  if (MEASURES.has(words[end] ?? '') || ['-', '+', '%', '/'].includes(words[end] ?? '')) return [];
  if (count.hedge === 0 && (isPartOfNumber(reading, at) || isInNumberList(reading, at, end))) return [];
  const note = noteOf(words.slice(at, at + count.hedge).join(' '), count.value);
  const length = count.length + matchPhrase(words, end, UNITS);
  return [spanAt(at, length, { type: 'count', value: count.value, ...note }, WEIGHT.cue)];
}

/** "50-200", "+49". */
function isPartOfNumber({ tokens, words }: Reading, at: number): boolean {
  return words[at - 1] === '-' || (words[at - 1] === '+' && tokens[at - 1]?.end === tokens[at]?.start);
}

/** "Founded in 2020 or 2021", "with 50 or 60 staff": one of several numbers that measure the same. */
function isInNumberList(reading: Reading, at: number, end: number): boolean {
  const { tokens, words } = reading;
  const isBare = matchPhrase(words, end, UNITS) === 0 && entityRecogniser(reading, end).length === 0;
  const before = tokens[words[at - 2] === ',' ? at - 3 : at - 2];
  const isListed = [',', 'or', 'and', '&', '/'].includes(words[at - 1] ?? '');
  if (isBare && isListed && (before?.kind === 'number' || /^\d+s$/.test(before?.folded ?? ''))) return true;
  return measuresAhead(reading, end);
}

/** @returns whether "or 60 staff" or ", 60 or 70 staff" follows */
function measuresAhead(reading: Reading, at: number): boolean {
  const { words } = reading;
  const isOr = words[at] === 'or';
  const next = isOr || words[at] === ',' ? readNumber(reading, at + 1) : null;
  if (!next) return false;
  const end = at + 1 + next.length;
  return (isOr && MEASURES.has(words[end] ?? '')) || measuresAhead(reading, end);
}

function noteOf(hedge: string, value: number): { note?: string } {
  if (/at least/.test(hedge)) return { note: `“At least ${value}” was read as ${value} rows.` };
  return /around|about|roughly|approx|circa|some/.test(hedge)
    ? { note: `“${hedge} ${value}” was read as ${value} rows.` }
    : {};
}

function perCompany(reading: Reading, at: number): Span[] {
  const count = hedgedCount(reading, at);
  if (!count) return [];
  // "2 people per company", "one contact at each company"
  for (let gap = 0; gap < 3; gap += 1) {
    const length = matchPhrase(reading.words, at + count.length + gap, PER_COMPANY);
    const isBareEach = length === 1;
    if (length === 0 || (isBareEach && gap > 1)) continue;
    const noun = { start: at + count.length, end: at + count.length + gap };
    const isEntity = entityRecogniser(reading, noun.start).some(({ end }) => end === noun.end);
    const unread = gap === 0 || isEntity ? {} : { unread: noun };
    const meaning = { type: 'per_company', value: count.value, ...unread } as const;
    return [spanAt(at, count.length + gap + length, meaning, WEIGHT.certain)];
  }
  return [];
}
