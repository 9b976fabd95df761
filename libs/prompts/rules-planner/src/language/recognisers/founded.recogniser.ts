import type { NumberRange } from '@quarry/directory';
import type { Span } from '../meaning.js';
import { matchPhrase, parsePhrases } from '../phrase-list.js';
import { readList, type Read } from '../read.js';
import { conditionAt, spanAt, WEIGHT, type Reading, type Recogniser } from '../recogniser.js';
import { entityRecogniser } from './cue.recogniser.js';
import { countedRecogniser, measuresIn } from './measure.recogniser.js';
import { LAST, OR_EARLIER, OR_LATER, readYears, yearAt } from './years.js';

/** Maximum age of a startup in years. A convention, stated in the plan's notes. */
const STARTUP_YEARS = 10;

const VERBS = measuresIn('year').find(({ on }) => on === 'founded')?.before ?? [];
const FILLERS = new Set([':', 'sometime', 'in', 'is', 'was', 'year', 'the', 'years', 'of', 'only', 'back']);
/** Words after a number that show that it is not a year by itself. */
const COUNTED = new Set(['-', 'to', 'results', 'rows', 'records', 'entries', 'items', 'max', 'total']);
const JOINTS = parsePhrases(',', 'or', 'and', '/', ', or', ', and');

/** Year of foundation: "founded after 2015", "since 2010", "in the 1990s", "less than 5 years old". */
export const foundedRecogniser: Recogniser = (reading, at) => {
  const verb = matchPhrase(reading.words, at, VERBS);
  const body = skipFillers(reading, at + verb, verb > 0);
  const found = readYears(reading, body, verb > 0);
  if (!found) return startupAt(reading, at);
  const isYear = verb > 0 && found.value.min === found.value.max;
  // "2020 or 2021", "2015, 2016 or 2017", as far as nothing else is counted by the further ones.
  const listed = isYear ? readList(reading, body, JOINTS, () => found, furtherYear) : null;
  const { value: ranges, length } = listed ?? { value: [found.value], length: found.length };
  return [conditionAt(at, body + length - at, { on: 'founded', ranges }, WEIGHT.quantity)];
};

function skipFillers({ words }: Reading, at: number, isAfterVerb: boolean): number {
  let next = at;
  if (!isAfterVerb) return next;
  // "founded in the last 5 years": the words for "last" begin with "in the" themselves.
  while (FILLERS.has(words[next] ?? '') && matchPhrase(words, next, LAST) === 0) next += 1;
  return next;
}

function furtherYear(reading: Reading, at: number): Read<NumberRange> | null {
  const year = yearAt(reading, at);
  return year === null || isCountOrBound(reading, at + 1)
    ? null
    : { value: { min: year, max: year }, length: 1 };
}

/** "2000 employees", "2020 or later", "2015-2020": the number is no year by itself. */
function isCountOrBound(reading: Reading, at: number): boolean {
  const isBound = [OR_LATER, OR_EARLIER].some((list) => matchPhrase(reading.words, at, list) > 0);
  const isCount = countedRecogniser(reading, at - 1).length > 0 || entityRecogniser(reading, at).length > 0;
  return isBound || isCount || COUNTED.has(reading.words[at] ?? '');
}

const STARTUPS = parsePhrases(
  'startup',
  'startups',
  'start up',
  'start ups',
  'young companies',
  'young company',
);

function startupAt(reading: Reading, at: number): Span[] {
  const length = matchPhrase(reading.words, at, STARTUPS);
  if (length === 0) return [];
  const first = reading.referenceYear - STARTUP_YEARS;
  const condition = { on: 'founded', ranges: [{ min: first, max: null }] } as const;
  const note = `“${reading.raw.slice(at, at + length).join(' ')}” was read as founded in ${first} or later.`;
  return [spanAt(at, length, { type: 'condition', condition, note, entity: 'company' })];
}
