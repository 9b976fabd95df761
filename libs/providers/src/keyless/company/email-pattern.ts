import { foldWord } from '@quarry/directory';

/** An address that a page shows, and the words beside it. */
export interface SeenAddress {
  email: string;
  near: string;
}

export interface EmailPattern {
  /** With `{first}`, `{last}`, `{f}` and `{l}`; null when no address of a person was seen. */
  pattern: string | null;
  confidence: 'high' | 'medium' | 'low' | null;
  /** Addresses that follow the pattern. */
  examples: string[];
}

/** Ways to make the part before the @ of a name. The usual ones are in front: of several that fit, the first counts. */
const PATTERNS = [
  '{first}.{last}',
  '{f}.{last}',
  '{f}{last}',
  '{first}{last}',
  '{first}_{last}',
  '{first}-{last}',
  '{last}.{first}',
  '{last}.{f}',
  '{last}{f}',
  '{last}{first}',
  '{first}.{l}',
  '{first}{l}',
  '{f}{l}',
  '{first}',
  '{last}',
] as const;
const EXAMPLES_MAX = 5;
const NAME = /^\p{Lu}[\p{L}'’-]+$/u;

/**
 * @param addresses addresses of people at one domain; those of tasks are left out before
 * @returns the pattern that most of them follow. A name beside an address proves its pattern; without one, two words with a
 * dot between them are likely one. High: two addresses are proven, and none follows another pattern.
 */
export function emailPatternOf(addresses: readonly SeenAddress[]): EmailPattern {
  const votes = new Map<string, { proven: number; examples: string[] }>();
  for (const { email, near } of addresses) {
    const localPart = email.slice(0, email.lastIndexOf('@')).toLowerCase();
    const [{ pattern: proven = null } = {}] = explanationsOf(localPart, near);
    const pattern = proven ?? patternByShape(localPart);
    if (pattern === null) continue;
    const vote = votes.get(pattern) ?? { proven: 0, examples: [] };
    vote.proven += proven === null ? 0 : 1;
    vote.examples.push(email.toLowerCase());
    votes.set(pattern, vote);
  }
  const ranked = [...votes].sort(
    ([, a], [, b]) => b.proven - a.proven || b.examples.length - a.examples.length,
  );
  const [best, ...others] = ranked;
  if (!best) return { pattern: null, confidence: null, examples: [] };
  const [pattern, { proven, examples }] = best;
  const isContested = others.some(([, vote]) => vote.examples.length >= examples.length);
  const seen = proven >= 2 ? 2 : proven === 1 || examples.length >= 2 ? 1 : 0;
  const confidence = (['low', 'medium', 'high'] as const)[others.length > 0 ? Math.min(seen, 1) : seen]!;
  return {
    pattern,
    confidence: isContested ? 'low' : confidence,
    examples: examples.slice(0, EXAMPLES_MAX),
  };
}

/** @returns the part before the @ that a pattern makes of a name, folded to ASCII letters */
export function localPartOf(pattern: string, first: string, last: string): string {
  const parts: Record<string, string> = { first, last, f: first.slice(0, 1), l: last.slice(0, 1) };
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '');
}

/** A name among some words that makes a local part. */
export interface Explanation {
  pattern: string;
  /** The two words, as they stand there. */
  words: readonly [string, string];
}

/** @returns every two words, written as names, that make the local part by a pattern; the first pattern of each two */
export function explanationsOf(localPart: string, near: string): Explanation[] {
  const words = near.split(/[\s,;:|()/]+/).map((word) => word.replace(/\.$/, ''));
  const explanations: Explanation[] = [];
  for (const [at, word] of words.entries()) {
    if (!NAME.test(word)) continue;
    // A middle name, or an initial, may stand between the two.
    for (const other of words.slice(at + 1, at + 3).filter((each) => NAME.test(each))) {
      const pattern = patternOf(localPart, spellings(word, other));
      if (pattern !== null) explanations.push({ pattern, words: [word, other] });
    }
  }
  return explanations;
}

/** @returns the first pattern that makes a local part of one of the spellings of a name; null when none does */
export function patternOf(
  localPart: string,
  names: ReadonlyArray<readonly [first: string, last: string]>,
): string | null {
  for (const [first, last] of names) {
    const pattern = PATTERNS.find((each) => localPartOf(each, first, last) === localPart);
    if (pattern) return pattern;
  }
  return null;
}

/** Letters beyond ASCII are left out in addresses, or written as two: "Müller" is muller or mueller. */
function spellings(first: string, last: string): Array<[string, string]> {
  const plain = (word: string): string => foldWord(word).replace(/[^a-z]/g, '');
  const german = (word: string): string =>
    plain(
      word.toLowerCase().replace(/[äöüß]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' })[letter]!),
    );
  const pairs: Array<[string, string]> = [
    [plain(first), plain(last)],
    [german(first), german(last)],
  ];
  return pairs.filter(([a, b]) => a.length > 1 && b.length > 1);
}

function patternByShape(localPart: string): string | null {
  if (/^[a-z]{2,}\.[a-z]{2,}$/.test(localPart)) return '{first}.{last}';
  return /^[a-z]\.[a-z]{2,}$/.test(localPart) ? '{f}.{last}' : null;
}
