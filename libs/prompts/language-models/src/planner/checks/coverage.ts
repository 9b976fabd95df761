import type { PlanIntent } from '@quarry/plan';
import { claimedSpans, claimsOf } from '../claims.js';
import { contentWords } from '../language.js';
import { numbersIn } from '../numbers.js';
import { spansOverlap, spansOf, spansOfAll, type Span } from '../words.js';
import type { CheckedIntent } from './checked-intent.js';

/** Words that negate the words after them. */
const NEGATION =
  /(?<![\p{L}])(?:not|no|without|except|excluding|exclude|never|neither|nor|other than|apart from|(?:are|is|do|does|have|has)n['’]t)(?![\p{L}])/giu;

/** Negations in the languages of language.ts: a list, since these languages are not parsed here. */
const NEGATION_ELSEWHERE =
  /(?<![\p{L}])(?:nicht|ohne|außer|kein[a-z]*|pas|sans|sauf|hors|no|sin|excepto|non|senza|tranne|niet|zonder|behalve|geen|não|sem|exceto)(?![\p{L}])/giu;

/** Meaningful words that no item of the intent uses. */
export interface UnmatchedFragment {
  /** Words as they occur in the prompt. */
  readonly fragment: string;
  readonly fault: string;
  /** False for words of unknown meaning: they are listed, and the model is not asked about them. */
  readonly isRepairable: boolean;
}

/** Maximum number of listed words; a prompt with more of them was not understood. */
const UNCOVERED_MAX = 200;
/** Maximum number of negations that are checked. */
const NEGATIONS_MAX = 200;

/**
 * Finds ignored words: every word that is known to be meaningful must be in an item's fragments or among the words listed
 * as not understood. Numbers are known in every language; if the rules support the language, so is every word that they use
 * or report as not understood. In other languages every word counts except function words.
 * @returns the ignored words, in prompt order
 */
export function findUnmatched(checked: CheckedIntent): UnmatchedFragment[] {
  const { intent, prompt, rules, isEnglish } = checked;
  const covered = lettersIn(prompt, coveredSpans(intent, prompt));
  const isCovered = (spans: readonly Span[]): boolean =>
    spans.length === 0 || spans.some(({ start, end }) => covered.subarray(start, end).includes(1));
  // Words of unknown meaning, such as "stores", describe what is sourced from the web; known ones must be checked for each
  // row.
  const { source } = intent;
  const wanted = lettersIn(prompt, source.kind === 'web' ? spansOfAll(prompt, source.fragments) : []);
  const isWanted = (spans: readonly Span[]): boolean =>
    spans.some(({ start, end }) => wanted.subarray(start, end).includes(1));
  const lost = new Map<string, UnmatchedFragment>();
  const name = (fragment: string, what: string, isRepairable = true): void => {
    if (lost.size >= UNCOVERED_MAX || lost.has(fragment)) return;
    if ([...lost.keys()].some((known) => known.includes(fragment))) return;
    lost.set(fragment, {
      fragment,
      fault: `not_understood: ${JSON.stringify(fragment)} is ${what} that nothing here speaks of`,
      isRepairable,
    });
  };
  if (isEnglish) {
    for (const claim of claimsOf(rules))
      for (const fragment of claim.origin.from === 'prompt' ? claim.origin.fragments : [])
        if (!isCovered(spansOf(prompt, fragment))) name(fragment, 'a part');
    for (const fragment of new Set(rules.not_understood))
      if (!isCovered(spansOf(prompt, fragment)) && !isWanted(spansOf(prompt, fragment)))
        name(fragment, 'a part');
  }
  for (const span of numbersIn(prompt))
    if (!isCovered([span])) name(prompt.slice(span.start, span.end), 'a number');
  if (!isEnglish)
    for (const span of contentWords(prompt))
      if (!isCovered([span]) && !isWanted([span])) name(prompt.slice(span.start, span.end), 'a word', false);
  return [...lost.values()].sort((a, b) => prompt.indexOf(a.fragment) - prompt.indexOf(b.fragment));
}

/**
 * Checks negations: "Not in Munich" must exclude rows in Munich.
 * @returns one sentence for each negation that is read as its opposite, or that no item uses
 */
export function negationFaults({ intent, prompt, rules, isEnglish }: CheckedIntent): string[] {
  const claims = claimsOf(intent).flatMap((claim) =>
    claimedSpans(prompt, claim).map((span) => ({ ...span, claim })),
  );
  const open = byStart(spansOfAll(prompt, intent.not_understood));
  const inOrder = byStart(claims);
  const read = new Set(claimsOf(rules).map(({ meaning }) => meaning));
  const negations = [...prompt.matchAll(isEnglish ? NEGATION : NEGATION_ELSEWHERE)];
  if (negations.length > NEGATIONS_MAX) return ['not_understood: the prompt denies too much'];
  return negations.flatMap(({ index, 0: word }) => {
    const at = { start: index, end: index + word.length };
    if (open.some((span) => spansOverlap(span, at))) return [];
    const holder = claims.find((span) => spansOverlap(span, at));
    const next = inOrder.find(({ start }) => start >= at.end);
    const nextOpen = open.find(({ start }) => start >= at.end);
    if (!holder && nextOpen && nextOpen.start <= (next?.start ?? Infinity)) return [];
    // A negation does not extend beyond a comma.
    const isParted = !holder && next !== undefined && /[,;.!?]/.test(prompt.slice(at.end, next.start));
    const claim = isParted ? undefined : (holder ?? next)?.claim;
    if (!claim)
      return [`not_understood: ${JSON.stringify(word)} denies something that nothing here speaks of`];
    const isMeasured = claim.filter !== null && 'op' in claim.filter && MEASURES.has(claim.filter.op);
    const isHead = claim.filter === null && holder !== undefined;
    if (claim.isNegative || isMeasured || isHead || (isEnglish && read.has(claim.meaning))) return [];
    return [`${claim.place}: ${JSON.stringify(word)} before it denies it`];
  });
}

function byStart<T extends Span>(spans: readonly T[]): T[] {
  return spans.toSorted((a, b) => a.start - b.start);
}

/** Checks in which a negation is a bound: "no more than 50". */
const MEASURES: ReadonlySet<string> = new Set(['between', 'number', 'year', 'date']);

/** @returns an array with 1 for each character of the text that is in one of the spans */
function lettersIn(text: string, spans: readonly Span[]): Uint8Array {
  const letters = new Uint8Array(text.length);
  for (const { start, end } of spans) letters.fill(1, start, end);
  return letters;
}

function coveredSpans(intent: PlanIntent, prompt: string): Span[] {
  return [
    ...claimsOf(intent).flatMap((claim) => claimedSpans(prompt, claim)),
    ...spansOfAll(prompt, intent.not_understood),
  ];
}

/** @returns faults of the list of words not understood: each must occur in the prompt, and no item may use it */
export function notUnderstoodFaults({ intent, prompt }: CheckedIntent): string[] {
  return intent.not_understood
    .filter((fragment) => fragment.trim() === '' || !prompt.includes(fragment))
    .map((fragment) => `not_understood: ${JSON.stringify(fragment)} is not in the prompt`);
}
