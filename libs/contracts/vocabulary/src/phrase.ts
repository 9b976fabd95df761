/** Combining marks that Unicode decomposition separates from a letter. */
const COMBINING_MARKS = /\p{M}+/gu;
/** Word. Combining marks belong to the previous letter: "Mu\u0308nchen" is one word, like "M\u00fcnchen". */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:[&.'’][\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*/gu;
/** Letters that decomposition does not split although people type them without the stroke. */
const STROKED: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', ß: 'ss', æ: 'ae', ı: 'i', đ: 'd' };

/**
 * Folds one word for comparison: lower case, no accents, no dots, no possessive.
 * @returns e.g. `U.S.` → `us`, `Zürich's` → `zurich`
 */
export function foldWord(word: string): string {
  return word
    .toLowerCase()
    .normalize('NFD')
    .replace(COMBINING_MARKS, '')
    .replace(/[øłßæıđ]/g, (letter) => STROKED[letter] ?? letter)
    .replace(/['’]s$/, '')
    .replace(/[.'’]/g, '');
}

/** @returns the folded words of a text; hyphens and other punctuation separate words. */
export function foldWords(text: string): string[] {
  return (text.match(WORD) ?? []).map(foldWord);
}

/** @returns a text folded for comparison, words joined by one space. */
export function foldText(text: string): string {
  return foldWords(text).join(' ');
}

/** @returns the regular English plural of a folded word. */
export function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/**
 * Plurals in "es" for pronunciation: classes, boxes, buses; not houses, licenses and sizes, whose "e" belongs to the word.
 */
const SOUNDED_PLURAL = /(?:ss|x|[tz]z|ch|sh|[^aeo]us)es$/;

/** Plurals of words that end in "u"; other words in "us" are singulars: campus, bonus. */
const PLURAL_OF_U = /^(?:[cgnt]pu|sku|menu|guru|haiku|emu|tofu)s$/;

/** @returns a word without its regular plural ending, for comparing "industrial" with "Industrials". */
export function singularOf(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (SOUNDED_PLURAL.test(word)) return word.slice(0, -2);
  return word.length > 3 && /[^s]s$/.test(word) && (!/[^aeo]us$/.test(word) || PLURAL_OF_U.test(word))
    ? word.slice(0, -1)
    : word;
}
