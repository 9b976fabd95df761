import { foldWords, singularOf } from '@quarry/vocabulary';

/** Position of words in a text, from `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Maximum number of positions per fragment: no meaningful fragment occurs more often, and each position is compared with
 * others.
 */
const PLACES_MAX = 200;

const LETTER = /[\p{L}\p{N}]/u;

/**
 * @returns the first 200 positions of a fragment in a text as whole words; as parts of words if it does not occur otherwise
 */
export function spansOf(text: string, fragment: string): Span[] {
  const spans: Span[] = [];
  if (fragment.trim() === '') return spans;
  for (
    let at = text.indexOf(fragment);
    at >= 0 && spans.length < PLACES_MAX;
    at = text.indexOf(fragment, at + 1)
  )
    spans.push({ start: at, end: at + fragment.length });
  const begun = spans.filter(({ start }) => beginsWord(text, start));
  // "20" matches "20" and not "200"; "fintech" may match "fintechs".
  const whole = begun.filter(({ end }) => endsWord(text, end));
  return [whole, begun, spans].find((found) => found.length > 0) ?? [];
}

/** @returns the positions of several fragments; duplicates count once */
export function spansOfAll(text: string, fragments: readonly string[]): Span[] {
  return [...new Set(fragments)].flatMap((fragment) => spansOf(text, fragment));
}

/** @returns whether a word starts at an offset */
export function beginsWord(text: string, at: number): boolean {
  return at === 0 || !LETTER.test(text[at] ?? '') || !LETTER.test(text[at - 1] ?? '');
}

function endsWord(text: string, at: number): boolean {
  return at === text.length || !LETTER.test(text[at] ?? '') || !LETTER.test(text[at - 1] ?? '');
}

export function spansOverlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}

/** @returns whether the first text contains all words of the second one in sequence */
export function holdsWords(text: string, words: string): boolean {
  const inner = foldWords(words).join(' ');
  return inner !== '' && ` ${foldWords(text).join(' ')} `.includes(` ${inner} `);
}

/** @returns whether one of two texts contains all words of the other one in sequence */
export function isSameWords(one: string, other: string): boolean {
  return holdsWords(one, other) || holdsWords(other, one);
}

/** Minimum length of the common prefix of two related words that are not equal. */
const AKIN_LETTERS_MIN = 4;

/** @returns whether two texts share a meaningful word, where "hiring" and "e-mail" match "hirings" and "emails" */
export function areAkin(one: string, other: string): boolean {
  const [words, others] = [one, other].map((text) =>
    [text, text.replaceAll('-', '')].flatMap(foldWords).filter(isContent).map(singularOf),
  ) as [string[], string[]];
  return words.some((word) => others.some((each) => isKin(word, each)));
}

/** @returns whether two folded words are equal, or one is a prefix of the other */
export function isKin(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return one === other || (short.length >= AKIN_LETTERS_MIN && long.startsWith(short));
}

/** Folded words that name rows or connect words: an item that comes only from these is invented. */
const EMPTY_WORDS = new Set(
  `a an the of in on at by to for from with and or not no that which who whose are is be have has all any some more less than
  find show give get list me i want need please companies company firms firm businesses business organisations organizations
  people persons person contacts table rows their its my our those`.split(/\s+/),
);

/** @returns whether a folded word is meaningful by itself */
export function isContent(word: string): boolean {
  return !EMPTY_WORDS.has(word);
}
