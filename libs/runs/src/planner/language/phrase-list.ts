/** Phrases as lists of folded words, longest first. */
export type PhraseList = ReadonlyArray<readonly string[]>;

/** @returns phrases prepared for {@link matchPhrase}. */
export function phrases(...texts: string[]): PhraseList {
  return texts.map((text) => text.split(' ')).sort((a, b) => b.length - a.length);
}

/** @returns the number of words of the longest phrase that stands at a position, 0 when none does. */
export function matchPhrase(words: readonly string[], at: number, list: PhraseList): number {
  return list.find((phrase) => phrase.every((word, index) => words[at + index] === word))?.length ?? 0;
}
