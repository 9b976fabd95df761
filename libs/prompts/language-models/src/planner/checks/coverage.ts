import type { PlanIntent } from '@quarry/plan';
import { claimedSpans, claimsOf } from '../claims.js';
import { contentWords } from '../language.js';
import { numbersIn } from '../numbers.js';
import { spansOverlap, spansOf, spansOfAll, type Span } from '../words.js';
import type { CheckedIntent } from './checked-intent.js';

/** Words that turn what follows them into its opposite. */
const NEGATION =
  /(?<![\p{L}])(?:not|no|without|except|excluding|exclude|never|neither|nor|other than|apart from|(?:are|is|do|does|have|has)n['’]t)(?![\p{L}])/giu;

/** The same in the languages that language.ts knows: a list, since nothing here reads them. */
const NEGATION_ELSEWHERE =
  /(?<![\p{L}])(?:nicht|ohne|außer|kein[a-z]*|pas|sans|sauf|hors|no|sin|excepto|non|senza|tranne|niet|zonder|behalve|geen|não|sem|exceto)(?![\p{L}])/giu;

/** Words that carry meaning and became nothing. */
export interface UnmatchedFragment {
  /** As they stand in the prompt. */
  readonly fragment: string;
  readonly fault: string;
  /** False for words of which nothing is known but that they are some: they are named, and not asked about. */
  readonly isRepairable: boolean;
}

/** As many are named; a prompt of which more is passed over was not read. */
const UNCOVERED_MAX = 200;
/** A prompt that denies more often is read by nobody. */
const NEGATIONS_MAX = 200;

/**
 * Every word that is known to carry meaning must be in an item's fragments or among what was not understood. Numbers are known
 * in every language; what the rules read, or say that they could not read, where they read the language. In others every word
 * counts that is no small one.
 * @returns what was passed over, in the order of the prompt
 */
export function findUnmatched(checked: CheckedIntent): UnmatchedFragment[] {
  const { intent, prompt, rules, isEnglish } = checked;
  const covered = lettersIn(prompt, coveredSpans(intent, prompt));
  const isCovered = (spans: readonly Span[]): boolean =>
    spans.length === 0 || spans.some(({ start, end }) => covered.subarray(start, end).includes(1));
  // Words of which nothing is known, such as "stores", are what is looked for on the web; what is known must be asked of each row.
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
 * "Not in Munich" must be said of rows that are not in Munich.
 * @returns one sentence for each negation that is read as its opposite, or of which nothing speaks
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
    // A negation does not reach over a comma.
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

/** "No more than 50" is a bound and no denial. */
const MEASURES: ReadonlySet<string> = new Set(['between', 'number', 'year', 'date']);

/** @returns a text's letters, 1 where one of the spans has it */
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

/** @returns faults of what is said not to be understood: each fragment as it stands in the prompt, none of it used */
export function notUnderstoodFaults({ intent, prompt }: CheckedIntent): string[] {
  return intent.not_understood
    .filter((fragment) => fragment.trim() === '' || !prompt.includes(fragment))
    .map((fragment) => `not_understood: ${JSON.stringify(fragment)} is not in the prompt`);
}
