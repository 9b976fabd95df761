import { foldWords } from '@quarry/directory';

/** Where words stand in a text, from `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const LETTER = /[\p{L}\p{N}]/u;

/** @returns the places where a fragment stands in a text as whole words; as a part of words where it stands nowhere else */
export function spansOf(text: string, fragment: string): Span[] {
  const spans: Span[] = [];
  if (fragment.trim() === '') return spans;
  for (let at = text.indexOf(fragment); at >= 0; at = text.indexOf(fragment, at + 1))
    spans.push({ start: at, end: at + fragment.length });
  const begun = spans.filter(({ start }) => beginsWord(text, start));
  // "20" is said by "20" and not by "200"; "fintech" may be said by "fintechs".
  const whole = begun.filter(({ end }) => endsWord(text, end));
  return [whole, begun, spans].find((found) => found.length > 0) ?? [];
}

/** @returns whether a word begins at a position */
export function beginsWord(text: string, at: number): boolean {
  return at === 0 || !LETTER.test(text[at] ?? '') || !LETTER.test(text[at - 1] ?? '');
}

function endsWord(text: string, at: number): boolean {
  return at === text.length || !LETTER.test(text[at] ?? '') || !LETTER.test(text[at - 1] ?? '');
}

export function overlap(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}

/** @returns whether all words of the second text stand in the first one, in their order */
export function holdsWords(text: string, words: string): boolean {
  const inner = foldWords(words).join(' ');
  return inner !== '' && ` ${foldWords(text).join(' ')} `.includes(` ${inner} `);
}
