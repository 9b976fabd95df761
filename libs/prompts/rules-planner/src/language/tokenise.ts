import { foldWord, foldWords } from '@quarry/vocabulary';
import { ABBREVIATIONS, MARKED_ABBREVIATIONS } from '@quarry/plan';
import type { Token } from './token.js';

const QUOTES: ReadonlyArray<readonly [string, string]> = [
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
  ['‘', '’'],
  ["'", "'"],
  ['`', '`'],
];
const DATE = /\d{4}-\d{2}-\d{2}(?!\d)/y;
const NUMBER =
  /([$€£]\s?)?(\d{1,3}(?:,\d{3})+|\d+)(?!\d)(\.\d+)?(?:\s?(million|billion|thousand|mio|mn|bn|mm|k|m|b)(?![\p{L}\p{N}]))?(?![\p{L}\p{N}])/iuy;
const WORD = /[\p{L}\p{N}]+(?:[&.'’][\p{L}\p{N}]+)*/uy;
/** Pattern of a domain. Bounded, so that a long row of hyphens is not scanned again from each of its words. */
const DOMAIN = /[\p{L}\p{N}]{1,63}(?:[-.][\p{L}\p{N}]{1,63}){0,12}\.\p{L}{2,24}(?![-\p{L}\p{N}])/uy;
const LIST_MARK = /[ \t]*(?:[-*•–·▪]|\d{1,2}[.)])[ \t]+/y;
const MULTIPLIERS: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mm: 1e6,
  mn: 1e6,
  mio: 1e6,
  million: 1e6,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
};
const DASHES = /[‐‑‒–—−]/;

/**
 * Cuts a prompt into tokens. Hyphens inside words separate words, so that "mid-size" and "mid size" are the same;
 * a hyphen next to a digit stays as the mark `-`, so that "50-200" is a range. Those of a domain belong to it.
 */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  const closing = new ClosingQuotes(text);
  let at = 0;
  while (at < text.length) {
    const token = tokenAt(text, at, closing);
    if (token) tokens.push(token);
    at = token?.end ?? at + 1;
  }
  return tokens;
}

function tokenAt(text: string, at: number, closing: ClosingQuotes): Token | null {
  const char = text[at] ?? '';
  // A line break takes the bullet or number of the list item after it along.
  if (char === '\n') return makeToken('break', text, at, Math.max(at + 1, listMarkEnd(text, at + 1)), '\n');
  if (/\s/.test(char)) return null;
  const bullet = at === 0 ? listMarkEnd(text, 0) : 0;
  if (bullet > 0) return makeToken('break', text, 0, bullet, '\n');
  return (
    quotedAt(text, at, closing) ??
    dateAt(text, at) ??
    hyphenatedDomainAt(text, at) ??
    numberAt(text, at) ??
    abbreviationAt(text, at) ??
    wordAt(text, at) ??
    markAt(text, at)
  );
}

function listMarkEnd(text: string, at: number): number {
  LIST_MARK.lastIndex = at;
  return LIST_MARK.test(text) ? LIST_MARK.lastIndex : 0;
}

function quotedAt(text: string, at: number, closing: ClosingQuotes): Token | null {
  const pair = QUOTES.find(([open]) => text.startsWith(open, at));
  if (!pair) return null;
  // A single quotation mark opens only where a word could begin and closes only where one could end.
  const isSingle = pair[1] === "'" || pair[1] === '’';
  if (isSingle && /[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return null;
  const close = closing.find(at + 1, pair[1], isSingle);
  if (close < 0) return null;
  const inner = text.slice(at + 1, close);
  return { ...makeToken('quoted', text, at, close + 1, foldWords(inner).join(' ')), text: inner };
}

/** Finds the ends of quotations; each kind of mark is searched once per text, however many marks open a quotation. */
class ClosingQuotes {
  /** By mark: for each place the first one from there on where a quotation may end; -1 for none. */
  private readonly places = new Map<string, Int32Array>();

  constructor(private readonly text: string) {}

  /** @returns where the quotation ends whose words begin at a place; -1 where it does not, or not in its line */
  find(from: number, mark: string, isSingle: boolean): number {
    // A quotation has words.
    const close = this.placesOf(mark, isSingle)[from + 1] ?? -1;
    const lineEnd = this.text.indexOf('\n', from);
    return lineEnd >= 0 && lineEnd < close ? -1 : close;
  }

  private placesOf(mark: string, isSingle: boolean): Int32Array {
    const known = this.places.get(mark);
    if (known) return known;
    const places = new Int32Array(this.text.length + 1).fill(-1);
    for (let at = this.text.length - 1; at >= 0; at -= 1) {
      const ends = this.text[at] === mark && !(isSingle && /[\p{L}\p{N}]/u.test(this.text[at + 1] ?? ''));
      places[at] = ends ? at : places[at + 1]!;
    }
    this.places.set(mark, places);
    return places;
  }
}

function dateAt(text: string, at: number): Token | null {
  DATE.lastIndex = at;
  return DATE.test(text) ? makeToken('date', text, at, DATE.lastIndex, text.slice(at, DATE.lastIndex)) : null;
}

function hyphenatedDomainAt(text: string, at: number): Token | null {
  DOMAIN.lastIndex = at;
  const domain = DOMAIN.exec(text)?.[0];
  // Between digits alone a hyphen is a range, with a sentence behind it.
  if (domain === undefined || !/\p{L}-|-\p{L}/u.test(domain)) return null;
  return makeToken('word', text, at, DOMAIN.lastIndex, foldWord(domain));
}

function numberAt(text: string, at: number): Token | null {
  NUMBER.lastIndex = at;
  const match = NUMBER.exec(text);
  if (!match) return null;
  const [whole, currency, digits = '', fraction = '', unit] = match;
  const spelled =
    Number(digits.replaceAll(',', '') + fraction) * (MULTIPLIERS[unit?.toLowerCase() ?? ''] ?? 1);
  // Hundreds of digits are beyond every number there is, and a plan can keep no infinite one.
  const value = Math.min(spelled, Number.MAX_VALUE);
  return {
    ...makeToken('number', text, at, at + whole.length, String(value)),
    value,
    isMoney: currency !== undefined,
  };
}

/** "w/", "excl.": words with a mark. */
function abbreviationAt(text: string, at: number): Token | null {
  if (/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return null;
  for (const [short, word] of MARKED_ABBREVIATIONS) {
    const end = at + short.length;
    const isWhole = short.endsWith('/') || short.endsWith('.') || !/[\p{L}\p{N}]/u.test(text[end] ?? '');
    if (isWhole && text.slice(at, end).toLowerCase() === short) return makeToken('word', text, at, end, word);
  }
  return null;
}

function wordAt(text: string, at: number): Token | null {
  WORD.lastIndex = at;
  const match = WORD.exec(text);
  if (!match) return null;
  const folded = foldWord(match[0]);
  return makeToken('word', text, at, at + match[0].length, ABBREVIATIONS.get(folded) ?? folded);
}

function markAt(text: string, at: number): Token | null {
  const char = text[at] as string;
  if (isHyphenInWord(text, at)) return null;
  if (/[!?;.]/.test(char)) return makeToken('break', text, at, at + 1, char);
  return makeToken('mark', text, at, at + 1, DASHES.test(char) ? '-' : char);
}

function isHyphenInWord(text: string, at: number): boolean {
  const isHyphen = text[at] === '-' || text[at] === '‑' || text[at] === '‐';
  return isHyphen && /[\p{L}\p{N}]/u.test(text[at - 1] ?? '') && /\p{L}/u.test(text[at + 1] ?? '');
}

function makeToken(kind: Token['kind'], text: string, start: number, end: number, folded: string): Token {
  return { kind, text: text.slice(start, end), folded, start, end, value: null, isMoney: false };
}
