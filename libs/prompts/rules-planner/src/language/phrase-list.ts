/** Phrases as lists of folded words, longest first. */
export type PhraseList = ReadonlyArray<readonly string[]>;

/** @returns the words and phrases of a list separated by "|" */
export function listOf(text: string): string[] {
  return text.split('|').map((phrase) => phrase.trim());
}

/**
 * @param texts phrases, or lists of them separated by "|"
 * @returns phrases prepared for {@link matchPhrase}.
 */
export function parsePhrases(...texts: readonly string[]): PhraseList {
  return texts
    .flatMap(listOf)
    .map((text) => text.split(' '))
    .sort((a, b) => b.length - a.length);
}

/** @returns the number of words of the longest phrase at a position, 0 when there is none */
export function matchPhrase(words: readonly string[], at: number, list: PhraseList): number {
  return list.find((phrase) => phrase.every((word, index) => words[at + index] === word))?.length ?? 0;
}
