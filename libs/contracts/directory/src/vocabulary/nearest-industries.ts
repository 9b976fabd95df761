import { nearestKey } from '@quarry/dto';
import { INDUSTRIES } from './industry.catalogue.js';
import { foldWords } from './phrase.js';

const NEAREST_MAX = 3;
/** Words that stand beside the name of an industry and are in no name. */
const FILLERS = new Set(
  'in from of at for the a an company companies firm firms industry industries sector sectors'.split(' '),
);
/** Words that are in names of industries and mean nothing by themselves. */
const COMMON = new Set(['services', 'service', 'general', 'business', 'other']);
/** Shorter words are near to too many others; a longer text names no industry, and would be dear to compare. */
const LETTERS_MIN = 4;
const LETTERS_MAX = 60;

const namesByPhrase = new Map(
  INDUSTRIES.flatMap(({ name, synonyms }) =>
    [name, ...synonyms].map((phrase) => [foldWords(phrase).join(' '), name] as const),
  ),
);
const namesByWord = Map.groupBy(
  [...namesByPhrase].flatMap(([phrase, name]) =>
    phrase
      .split(' ')
      .filter((word) => word.length >= LETTERS_MIN && !COMMON.has(word))
      .map((word) => [word, name] as const),
  ),
  ([word]) => word,
);

/**
 * Finds the industries that words may mean which name none: by a misspelling, else by a word in common.
 * @param shares whether a word in common is enough
 * @returns at most three names, the likeliest first
 */
export function nearestIndustries(text: string, shares = true): string[] {
  const words = foldWords(text).filter((word) => !FILLERS.has(word));
  const phrase = words.join(' ');
  if (phrase.length < LETTERS_MIN || phrase.length > LETTERS_MAX) return [];
  const meant = nearestKey(phrase, namesByPhrase.keys()) ?? unswapped(phrase);
  if (meant !== null) return [namesByPhrase.get(meant)!];
  const shared = shares ? words.flatMap((word) => namesByWord.get(word) ?? []) : [];
  return [...new Set(shared.map(([, name]) => name))].slice(0, NEAREST_MAX);
}

/** @returns the phrase of an industry in which two neighbouring letters were swapped; the commonest misspelling, and two letters to an edit distance */
function unswapped(text: string): string | null {
  for (let i = 1; i < text.length; i += 1) {
    const phrase = `${text.slice(0, i - 1)}${text[i]}${text[i - 1]}${text.slice(i + 1)}`;
    if (namesByPhrase.has(phrase)) return phrase;
  }
  return null;
}
