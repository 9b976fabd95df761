import { filterNamed } from '../condition.js';
import type { Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';

const UNIVERSALS = new Set(
  'all every everyone everybody everything anyone anybody anything any each'.split(' '),
);
const PEOPLE = new Set(['everyone', 'everybody', 'anyone', 'anybody']);
const PRONOUNS = new Set(['those', 'ones', 'these']);
const DETERMINERS = new Set(['the', 'any', 'a', 'an', 'of', 'for']);
/** Types of spans that can be excluded from a whole: things, and the pronouns for them. */
const THINGS: ReadonlySet<Span['meaning']['type']> = new Set([
  'condition',
  'field',
  'entity',
  'column',
  'table_column',
]);

/** Whole from which "but" excludes something: its kind, and whether only row nouns describe it. */
export interface Whole {
  readonly isOfPeople: boolean;
  /**
   * True for "Everyone but CEOs at banks": the words after the exception describe the whole, which has no other description.
   */
  readonly isBare: boolean;
}

/**
 * Recognises an exception: "All companies but banks", "everyone in Berlin but those at banks". In contrast, "but with",
 * "but only" and "but founded in" continue the description.
 * @param index of the span of "but"
 * @returns the whole from which something is excluded; null when "but" is not an exception
 */
export function wholeBefore({ words, tokens }: Reading, spans: readonly Span[], index: number): Whole | null {
  const { start, end } = spans[index] as Span;
  const opening = tokens.slice(0, start).findLastIndex(({ kind }) => kind === 'break') + 1;
  const universal = words.slice(opening, start).findLastIndex((word) => UNIVERSALS.has(word)) + opening;
  const close = tokens.findIndex(({ kind }, at) => at >= end && kind === 'break');
  // "All companies in Berlin, but fintech only" narrows.
  const isOnly = words.slice(end, close < 0 ? undefined : close).includes('only');
  if (universal < opening || isOnly || !isThingAt(words, spans[index + 1], end)) return null;
  const isBare = spans
    .slice(0, index)
    .every((span) => span.start < universal || ['count', 'entity'].includes(span.meaning.type));
  return { isOfPeople: PEOPLE.has(words[universal] ?? ''), isBare };
}

function isThingAt(words: Reading['words'], next: Span | undefined, at: number): boolean {
  if (PRONOUNS.has(words[words[at] === 'the' ? at + 1 : at] ?? '')) return true;
  if (!next || !THINGS.has(next.meaning.type)) return false;
  if (!words.slice(at, next.start).every((word) => DETERMINERS.has(word))) return false;
  if (next.meaning.type !== 'condition') return true;
  const { condition, entity } = next.meaning;
  return filterNamed(condition.on)?.isExcepted !== false || entity !== undefined;
}
