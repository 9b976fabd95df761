import { nearestKey } from '@quarry/dto';
import { foldWords } from './phrase.js';

/**
 * Minimum and maximum length: short words are similar to too many others; a long text is not a name, and expensive to
 * compare.
 */
const LETTERS_MIN = 4;
const LETTERS_MAX = 60;

/** Names by their phrases, as folded words. */
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

/** @returns whether the length of a phrase allows a comparison */
export function isComparable(phrase: string): boolean {
  return phrase.length >= LETTERS_MIN && phrase.length <= LETTERS_MAX;
}

/** @param phrase folded words. @returns the name of the phrase that it misspells, or null */
export function nearestName(phrase: string, names: NamesByPhrase): string | null {
  if (!isComparable(phrase)) return null;
  const meant = nearestKey(phrase, names.keys()) ?? unswapped(phrase, names);
  return meant === null ? null : (names.get(meant) ?? null);
}

/**
 * @returns the name of the phrase with two neighbouring letters swapped; the most common misspelling, with edit distance
 *   two
 */
function unswapped(text: string, names: NamesByPhrase): string | null {
  for (let i = 1; i < text.length; i += 1) {
    const phrase = `${text.slice(0, i - 1)}${text[i]}${text[i - 1]}${text.slice(i + 1)}`;
    if (names.has(phrase)) return phrase;
  }
  return null;
}
