import { foldWords, pluralOf } from './phrase.js';

/** Phrase found at a position in a list of words. */
export interface PhraseMatch<T> {
  /** Number of words of the phrase. */
  length: number;
  meaning: T;
}

/** Finds phrases of one or more words in a list of folded words. The longest phrase wins. */
export class PhraseIndex<T> {
  private readonly meanings = new Map<string, T>();
  private lengthMax = 0;

  /**
   * Adds phrases with one meaning, each also with the plural of its last word. A phrase that already exists keeps its first
   * meaning, so the order of a catalogue decides.
   */
  add(phrases: readonly string[], meaning: T): this {
    for (const phrase of phrases) {
      const words = foldWords(phrase);
      const last = words.at(-1);
      if (last === undefined) continue;
      this.addPhrase(words, meaning);
      if (!/[^s]s$/.test(last)) this.addPhrase([...words.slice(0, -1), pluralOf(last)], meaning);
    }
    return this;
  }

  /** @returns the longest phrase that starts at word `at`, or null. */
  longestAt(words: readonly string[], at: number): PhraseMatch<T> | null {
    for (let length = Math.min(this.lengthMax, words.length - at); length > 0; length -= 1) {
      const meaning = this.meanings.get(words.slice(at, at + length).join(' '));
      if (meaning !== undefined) return { length, meaning };
    }
    return null;
  }

  /** @returns the meaning of the whole text, or null when the text is not a phrase of the index. */
  get(text: string): T | null {
    return this.meanings.get(foldWords(text).join(' ')) ?? null;
  }

  private addPhrase(words: readonly string[], meaning: T): void {
    const key = words.join(' ');
    if (this.meanings.has(key)) return;
    this.meanings.set(key, meaning);
    this.lengthMax = Math.max(this.lengthMax, words.length);
  }
}
