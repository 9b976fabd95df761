import { roleAt } from '@quarry/vocabulary';
import { isContent } from '../fragments.js';
import { PHRASE_OPENERS } from '../word-lists.js';
import type { Span } from '../meaning.js';
import { matchPhrase, parsePhrases } from '../phrase-list.js';
import { readList, type Read } from '../read.js';
import { spanAt, WEIGHT, type Reading, type Recogniser } from '../recogniser.js';
import { entityRecogniser } from './cue.recogniser.js';

const EMPLOYER_CUES = parsePhrases(
  'at',
  'employed by',
  'work for',
  'works for',
  'working for',
  'who work for',
);
const CUE_WORDS_MAX = 3;
const ROLE_WORDS_MAX = 5;
const JOINTS = parsePhrases(',', 'and', 'or', '&', ', and', ', or');

/**
 * Recognises company names without quotation marks after a cue for an employer: "CFO of Halbrook", "people at Halbrook
 * Logistics". A name starts with a capitalised word that no other recogniser knows, and continues with capitalised words.
 * Before a noun it is only a description: "CTOs at Profitable companies".
 * @param known all other recognisers
 */
export function companyNameRecogniser(known: readonly Recogniser[]): Recogniser {
  const isUnknown = (reading: Reading, at: number): boolean =>
    known.every((recognise) => recognise(reading, at).length === 0);
  const nameAt = (reading: Reading, at: number): Read<string> | null => {
    const length = isUnknown(reading, at) ? nameLength(reading, at) : 0;
    if (length === 0 || isDescribing(reading, at + length)) return null;
    return { value: reading.raw.slice(at, at + length).join(' '), length };
  };
  return (reading, at) => {
    if (!isEmployerNext(reading, at)) return [];
    const names = readList(reading, at, JOINTS, nameAt);
    return names ? [nameSpan(at, names)] : [];
  };
}

function nameSpan(start: number, { value: names, length }: Read<string[]>): Span {
  const quotedNames = names.map((name) => `“${name}”`).join(' and ');
  const note =
    names.length > 1
      ? `${quotedNames} were read as names of companies.`
      : `${quotedNames} was read as the name of a company.`;
  const condition = { on: 'names', names } as const;
  return spanAt(start, length, { type: 'condition', condition, note }, WEIGHT.cue);
}

/**
 * Returns true after "at", "employed by", and after "of" or "from" with a preceding role or noun for people: "a fan of
 * Elvis" has no employer.
 */
function isEmployerNext(reading: Reading, at: number): boolean {
  const { words } = reading;
  for (let length = 1; length <= CUE_WORDS_MAX; length += 1)
    if (at >= length && matchPhrase(words, at - length, EMPLOYER_CUES) === length) return true;
  return ['of', 'from'].includes(words[at - 1] ?? '') && isPersonBefore(reading, at - 1);
}

function isPersonBefore(reading: Reading, end: number): boolean {
  for (let start = end - 1; start >= Math.max(0, end - ROLE_WORDS_MAX); start -= 1) {
    if (roleAt(reading.words.slice(0, end), start)?.length === end - start) return true;
    const nouns = entityRecogniser(reading, start).filter((span) => span.end === end);
    if (nouns.some(({ meaning }) => meaning.type === 'entity' && meaning.entity === 'person')) return true;
  }
  return false;
}

/** Words with a capital, "&" between them; "In" and "With" begin another phrase. */
function nameLength({ tokens }: Reading, at: number): number {
  const isCapital = (index: number): boolean => {
    const token = tokens[index];
    if (token?.kind !== 'word' || !/^\p{Lu}/u.test(token.text)) return false;
    return index === at ? isContent(token) : !PHRASE_OPENERS.has(token.folded) && !JOINING.has(token.folded);
  };
  let end = at;
  while (isCapital(end) || (end > at && tokens[end]?.text === '&' && isCapital(end + 1))) end += 1;
  return end - at;
}

/** "Profitable Companies", "Contoso employees": a noun for rows in the plural, or a word behind it, goes on. */
function isDescribing(reading: Reading, end: number): boolean {
  const isNounAt = (at: number): boolean => entityRecogniser(reading, at).length > 0;
  const follows = reading.tokens[end];
  const last = reading.words[end - 1] ?? '';
  if (isNounAt(end) || (isNounAt(end - 1) && last.endsWith('s') && !ENDS_OF_NAMES.has(last))) return true;
  return follows?.kind === 'word' && isContent(follows) && !GOES_ON.has(follows.folded);
}

/** Plural nouns that companies call themselves by: "Lanstone Studios". */
const ENDS_OF_NAMES = new Set(['brands', 'studios', 'shops', 'houses']);
const JOINING = new Set(['and', 'or', 'but', 'the', 'not']);
/** Content words that begin another phrase behind a name. */
const GOES_ON = new Set(
  'founded sorted ordered ranked excluding except without preferably hiring who'.split(' '),
);
