import { INDUSTRIES } from './industry.catalogue.js';
import { isComparable, namesByPhrase, nearestName } from './nearest-name.js';
import { foldWords } from './phrase.js';

const NEAREST_MAX = 3;
/** Words next to the name of an industry that are not part of any name. */
const FILLERS = new Set(
  'in from of at for the a an company companies firm firms industry industries sector sectors'.split(' '),
);
/** Words in names of industries that mean nothing by themselves. */
const COMMON = new Set(['services', 'service', 'general', 'business', 'other']);
/** Minimum length of a word; shorter ones are in too many names. */
const LETTERS_MIN = 4;

const names = namesByPhrase(INDUSTRIES.map(({ name, synonyms }) => [name, [name, ...synonyms]]));
const namesByWord = Map.groupBy(
  [...names].flatMap(([phrase, name]) =>
    phrase
      .split(' ')
      .filter((word) => word.length >= LETTERS_MIN && !COMMON.has(word))
      .map((word) => [word, name] as const),
  ),
  ([word]) => word,
);

/**
 * Suggests industries for a text that names none: by a misspelling, else by a common word.
 * @param shares true when a common word is sufficient
 * @returns at most three names, the most likely first
 */
export function nearestIndustries(text: string, shares = true): string[] {
  const words = foldWords(text).filter((word) => !FILLERS.has(word));
  const phrase = words.join(' ');
  if (!isComparable(phrase)) return [];
  const meant = nearestName(phrase, names);
  if (meant !== null) return [meant];
  const shared = shares ? words.flatMap((word) => namesByWord.get(word) ?? []) : [];
  return [...new Set(shared.map(([, name]) => name))].slice(0, NEAREST_MAX);
}
