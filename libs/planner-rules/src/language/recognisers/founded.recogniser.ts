import type { NumberRange } from '@quarry/directory';
import type { Span } from '../meaning.js';
import { matchPhrase, phrases } from '../phrase-list.js';
import type { Read } from '../quantity.js';
import { WEIGHT, type Reading, type Recogniser } from '../recogniser.js';
import { entityRecogniser } from './cue.recogniser.js';
import { countedRecogniser, measuresIn } from './measure.recogniser.js';
import { LAST, OR_EARLIER, OR_LATER, readYears, yearAt } from './years.js';

export { readYears };

/** A firm that calls itself a startup is at most this old. A convention, stated in the plan's notes. */
const STARTUP_YEARS = 10;

const VERBS = measuresIn('year').find(({ on }) => on === 'founded')?.before ?? [];
const FILLERS = new Set([':', 'sometime', 'in', 'is', 'was', 'year', 'the', 'years', 'of', 'only', 'back']);
/** Behind a number, these show that it is no year by itself. */
const COUNTED = new Set(['-', 'to', 'results', 'rows', 'records', 'entries', 'items', 'max', 'total']);
const JOINTS = phrases(',', 'or', 'and', '/', ', or', ', and');

/** Year of foundation: "founded after 2015", "since 2010", "in the 1990s", "less than 5 years old". */
export const foundedRecogniser: Recogniser = {
  name: 'founded',
  recognise(reading, at) {
    const verb = matchPhrase(reading.words, at, VERBS);
    const body = skipFillers(reading, at + verb, verb > 0);
    const found = readYears(reading, body, verb > 0);
    if (!found) return startupAt(reading, at);
    const end = body + found.length;
    const more = verb > 0 ? furtherYears(reading, end, found.value) : { value: [], length: 0 };
    return [foundedSpan(at, end + more.length, [found.value, ...more.value])];
  },
};

function skipFillers({ words }: Reading, at: number, isAfterVerb: boolean): number {
  let next = at;
  if (!isAfterVerb) return next;
  // "founded in the last 5 years": the words for "last" begin with "in the" themselves.
  while (FILLERS.has(words[next] ?? '') && matchPhrase(words, next, LAST) === 0) next += 1;
  return next;
}

/** "2020 or 2021", "2015, 2016 or 2017": the years after a first one, as far as nothing else is counted by them. */
function furtherYears(reading: Reading, at: number, first: NumberRange): Read<NumberRange[]> {
  const years: NumberRange[] = [];
  let end = at;
  for (let next = at; first.min === first.max; end = next) {
    const joint = matchPhrase(reading.words, next, JOINTS);
    const year = joint > 0 ? yearAt(reading, next + joint) : null;
    next += joint + 1;
    if (year === null || isCountOrBound(reading, next)) break;
    years.push({ min: year, max: year });
  }
  return { value: years, length: end - at };
}

/** "2000 employees", "2020 or later", "2015-2020": the number is no year by itself. */
function isCountOrBound(reading: Reading, at: number): boolean {
  const isBound = [OR_LATER, OR_EARLIER].some((list) => matchPhrase(reading.words, at, list) > 0);
  const isCount =
    countedRecogniser.recognise(reading, at - 1).length > 0 ||
    entityRecogniser.recognise(reading, at).length > 0;
  return isBound || isCount || COUNTED.has(reading.words[at] ?? '');
}

function foundedSpan(start: number, end: number, ranges: readonly NumberRange[]): Span {
  const condition = { on: 'founded', ranges } as const;
  return { start, end, weight: WEIGHT.quantity, meaning: { type: 'condition', condition } };
}

const STARTUPS = phrases('startup', 'startups', 'start up', 'start ups', 'young companies', 'young company');

function startupAt(reading: Reading, at: number): Span[] {
  const length = matchPhrase(reading.words, at, STARTUPS);
  if (length === 0) return [];
  const first = reading.referenceYear - STARTUP_YEARS;
  const condition = { on: 'founded', ranges: [{ min: first, max: null }] } as const;
  const note = `“${reading.raw.slice(at, at + length).join(' ')}” was read as founded in ${first} or later.`;
  const meaning = { type: 'condition', condition, note, entity: 'company' } as const;
  return [{ start: at, end: at + length, weight: WEIGHT.condition, meaning }];
}
