/** Position of a quote in a folded text. */
interface Place {
  text: string;
  from: number;
  to: number;
  /** Start of the paragraph, list item or table row in which the quote starts. */
  blockFrom: number;
}

/** Paragraph, list item or table row of a folded text. */
export interface Block {
  from: number;
  to: number;
}

const NEGATION =
  /(?<!\p{L})(?:not|no(?!\. ?\d)|never|without|none|neither|nor|cannot|kein(?:e[mnrs]?)?|nicht|nie|ohne|pas|sans|sin)(?!\p{L})|n't(?!\p{L})/u;
const NEGATIONS = new RegExp(NEGATION.source, 'gu');
/** Number of characters before a word in which a negation is searched. */
const REACH = 40;
/** Maximum number of occurrences: a quote that repeats the words more often is a list of them, and proves nothing. */
const PLACES_MAX = 50;
/** End of a sentence; the dots of `e.g.` and `U.S.` do not end one. */
const SENTENCE_END =
  /(?<!(?<![\p{L}\p{N}])\p{L}|(?<!\p{L})(?:incl|approx|etc|vs|ca|bzw))[.;!?](?=\s|$|['*_)])/u;
/** End of a phrase: after it, a negation may still apply, but not for certain. */
const PHRASE_END =
  /[.;!?,:|()]| - |(?<!\p{L})(?:and|but|while|although|though|which|that|because|so|if|unless|when|und|aber|sondern|et|mais|y|pero)(?!\p{L})/u;
/** Negation after the words: `Free shipping is not available`, `Free shipping | no |`, `Free shipping? No.` */
const DENIED_BEHIND =
  /^[\p{L}\p{N}]*(?:(?: (?:is|are|was|were)(?: not|n't)| not)(?! (?:only|just|merely))(?!\p{L})|[ |:?*_-]+(?:no|none|never|nein)[*_]* ?(?=$|[|.,;!?]))/u;
const ONLY = /(?:(?<!\p{L})not|n't) (?:only|just|merely)(?!\p{L})/u;
/** Phrase with a negation of something else: `free shipping, no minimum order`. */
const ASIDE =
  /(?:, | with )(?:no|without)(?! (?:longer|more|way|chance|exceptions?)(?!\p{L})) \p{L}+|, not (?:just|only) \p{L}+/gu;

/**
 * @param reach `clause`: back to the end of the previous sentence; `phrase`: back to the nearest word or mark that may end
 *   a negation
 * @returns whether a negation precedes words of the quote, in the quote or before it
 */
export function isDeniedBefore(place: Place, at: number, reach: 'clause' | 'phrase'): boolean {
  const before = place.text.slice(Math.max(at - REACH, Math.min(place.blockFrom, at)), at);
  return NEGATION.test(lastPart(before, reach === 'clause' ? SENTENCE_END : PHRASE_END));
}

/** Words that look like a negation but negate nothing: `not only 500`, `not-for-profit`. */
const NO_DENIAL =
  /(?:(?<!\p{L})not|n't) (?:only|just|merely|least)(?!\p{L})|(?<!\p{L})not[- ]for[- ]profit/gu;
/** Question that is an assertion: `Did you know that we have 500 employees?` */
const RHETORICAL = /(?<!\p{L})did you know(?!\p{L})/u;

/**
 * @param block paragraph, list item or table row that contains the value
 * @returns whether the sentence asserts the value: no negation precedes it in its phrase or directly follows it, and it is
 *   not a question
 */
export function isAsserted(text: string, { from, to }: Block, block: Block): boolean {
  const before = lastPart(text.slice(Math.max(block.from, 0), from), SENTENCE_END);
  const phrase = lastPart(before.slice(-REACH).replace(NO_DENIAL, ''), PHRASE_END);
  if (NEGATION.test(phrase) || DENIED_BEHIND.test(text.slice(to, Math.min(block.to, to + REACH))))
    return false;
  const rest = text.slice(to, block.to);
  const end = SENTENCE_END.exec(rest);
  const asks = end !== null && /\?[!?.]*$/.test(rest.slice(0, end.index + 1));
  return !asks || RHETORICAL.test(before);
}

/**
 * @param cues prefixes of words
 * @returns whether the quote contains all the words and none of them is negated: no negation precedes them in their
 *   sentence or up to {@link REACH} characters before the quote, and none follows them
 */
export function affirmsCue(cues: readonly string[], place: Place): boolean {
  const all = placesOfCues(cues, place);
  if (all.some((places) => places.length === 0) || isList(all)) return false;
  return all.every((places) => places.every(({ from, to }) => isAffirmed(place, from, to)));
}

function isAffirmed(place: Place, from: number, to: number): boolean {
  const start = Math.max(Math.min(place.from, from - REACH), Math.min(place.blockFrom, place.from), 0);
  if (NEGATION.test(lastPart(place.text.slice(start, from), SENTENCE_END))) return false;
  if (DENIED_BEHIND.test(place.text.slice(to, to + REACH))) return false;
  const behind = place.text.slice(to, place.to).replace(ASIDE, '');
  return !NEGATION.test(behind.split(/[.;!](?=\s|$)/u)[0]!);
}

/**
 * @param cues prefixes of words
 * @returns whether the quote contains all the words close together and negates them exactly once: a double negation is
 *   ambiguous
 */
export function deniesCue(cues: readonly string[], place: Place): boolean {
  const all = placesOfCues(cues, place);
  if (isList(all)) return false;
  const windows = windowsOf(all);
  const length = Math.min(...windows.map(({ from, to }) => to - from));
  const near = windows.filter(({ from, to }) => to - from === length);
  return near.length > 0 && near.every((window) => isDenied(place, window));
}

function isDenied(place: Place, { from, last, to }: Window): boolean {
  const start = Math.max(place.from, last - REACH);
  const phrase = lastPart(place.text.slice(start, last), PHRASE_END);
  // If the words are not in one phrase, the negation applies to only some of them.
  if (last - phrase.length > from) return false;
  if (ONLY.test(phrase)) return false;
  const before = [...phrase.matchAll(NEGATIONS)].map(([word]) => word);
  // `Neither … nor` is one negation.
  const count = before.filter((word) => word !== 'neither' || !before.includes('nor')).length;
  const isBehind = DENIED_BEHIND.test(place.text.slice(to, place.to));
  return count + Number(isBehind) === 1;
}

function isList(all: readonly Span[][]): boolean {
  return all.flat().length > PLACES_MAX;
}

interface Span {
  from: number;
  to: number;
}
interface Window extends Span {
  /** Start of the last word. */
  last: number;
}

function placesOfCues(cues: readonly string[], { text, from, to }: Place): Span[][] {
  return cues.map((cue) => {
    const places: Span[] = [];
    for (let at = text.indexOf(cue, from); at >= 0 && at + cue.length <= to; at = text.indexOf(cue, at + 1))
      places.push({ from: at, to: at + cue.length });
    return places;
  });
}

/** @returns for each occurrence of a word the shortest range that ends there and contains all the words */
function windowsOf(all: readonly Span[][]): Window[] {
  return all.flat().flatMap((end) => {
    const starts = all.map((places) => places.findLast(({ from }) => from <= end.from)?.from);
    if (starts.some((start) => start === undefined)) return [];
    return [{ from: Math.min(...starts.map(Number)), last: end.from, to: end.to }];
  });
}

function lastPart(text: string, end: RegExp): string {
  return text.split(end).at(-1)!;
}
