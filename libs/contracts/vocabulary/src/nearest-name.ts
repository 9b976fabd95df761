import { nearestKey } from '@quarry/dto';
import { foldWords } from './phrase.js';

/** Shorter words are near to too many others; a longer text names nothing, and would be dear to compare. */
const LETTERS_MIN = 4;
const LETTERS_MAX = 60;

/** Names by the phrases that mean them, as folded words. */
export type NamesByPhrase = ReadonlyMap<string, string>;

/** @returns names by their phrases, the first of two with the same phrase */
export function namesByPhrase(
  entries: Iterable<readonly [name: string, phrases: readonly string[]]>,
): NamesByPhrase {
  const names = new Map<string, string>();
  for (const [name, phrases] of entries)
    for (const phrase of phrases.map((each) => foldWords(each).join(' ')))
      if (!names.has(phrase)) names.set(phrase, name);
  return names;
}

/** @returns whether a phrase is of a length that can be compared */
export function isComparable(phrase: string): boolean {
  return phrase.length >= LETTERS_MIN && phrase.length <= LETTERS_MAX;
}

/** @param phrase folded words. @returns the name whose phrase is misspelled by it, or null */
export function nearestName(phrase: string, names: NamesByPhrase): string | null {
  if (!isComparable(phrase)) return null;
  const meant = nearestKey(phrase, names.keys()) ?? unswapped(phrase, names);
  return meant === null ? null : (names.get(meant) ?? null);
}

/** @returns the phrase in which two neighbouring letters were swapped; the commonest misspelling, and two letters to an edit distance */
function unswapped(text: string, names: NamesByPhrase): string | null {
  for (let i = 1; i < text.length; i += 1) {
    const phrase = `${text.slice(0, i - 1)}${text[i]}${text[i - 1]}${text.slice(i + 1)}`;
    if (names.has(phrase)) return phrase;
  }
  return null;
}
