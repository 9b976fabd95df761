import { foldWords, singularOf } from '@quarry/vocabulary';

/** Position of words in a text, from `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Places of one fragment that count: no fragment that says something stands in more of a prompt, and each is compared with others. */
const PLACES_MAX = 200;

const LETTER = /[\p{L}\p{N}]/u;

/** @returns the places where a fragment stands in a text as whole words, of its first 200; as a part of words where it stands nowhere else */
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
  // "20" is said by "20" and not by "200"; "fintech" may be said by "fintechs".
  const whole = begun.filter(({ end }) => endsWord(text, end));
  return [whole, begun, spans].find((found) => found.length > 0) ?? [];
}

/** @returns the places of each of several fragments; one that is given twice counts once */
export function spansOfAll(text: string, fragments: readonly string[]): Span[] {
  return [...new Set(fragments)].flatMap((fragment) => spansOf(text, fragment));
}

/** @returns whether a word begins at a position */
export function beginsWord(text: string, at: number): boolean {
  return at === 0 || !LETTER.test(text[at] ?? '') || !LETTER.test(text[at - 1] ?? '');
}

function endsWord(text: string, at: number): boolean {
  return at === text.length || !LETTER.test(text[at] ?? '') || !LETTER.test(text[at - 1] ?? '');
}

export function spansOverlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}

/** @returns whether all words of the second text stand in the first one, in their order */
export function holdsWords(text: string, words: string): boolean {
  const inner = foldWords(words).join(' ');
  return inner !== '' && ` ${foldWords(text).join(' ')} `.includes(` ${inner} `);
}

/** @returns whether one of two texts has all words of the other one, in their order */
export function isSameWords(one: string, other: string): boolean {
  return holdsWords(one, other) || holdsWords(other, one);
}

/** Letters that two words must share from their beginning to be akin where they are not the same. */
const AKIN_LETTERS_MIN = 4;

/** @returns whether two texts have a word in common that says something, where "hiring" and "e-mail" are "hirings" and "emails" */
export function areAkin(one: string, other: string): boolean {
  const [words, others] = [one, other].map((text) =>
    [text, text.replaceAll('-', '')].flatMap(foldWords).filter(isContent).map(singularOf),
  ) as [string[], string[]];
  return words.some((word) => others.some((each) => isKin(word, each)));
}

/** @returns whether two folded words are the same, or one begins with the other */
export function isKin(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return one === other || (short.length >= AKIN_LETTERS_MIN && long.startsWith(short));
}

/** Words that name rows or tie words together: an item that comes from nothing else is invented. Folded. */
const EMPTY_WORDS = new Set(
  `a an the of in on at by to for from with and or not no that which who whose are is be have has all any some more less than
  find show give get list me i want need please companies company firms firm businesses business organisations organizations
  people persons person contacts table rows their its my our those`.split(/\s+/),
);

/** @returns whether a folded word says something by itself */
export function isContent(word: string): boolean {
  return !EMPTY_WORDS.has(word);
}
