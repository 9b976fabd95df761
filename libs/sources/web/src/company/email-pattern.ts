import { foldWord } from '@quarry/vocabulary';

/** Address on a page, with the surrounding words. */
export interface SeenAddress {
  email: string;
  near: string;
}

export interface EmailPattern {
  /** Pattern with `{first}`, `{last}`, `{f}` and `{l}`; null when no address of a person was found. */
  pattern: string | null;
  confidence: 'high' | 'medium' | 'low' | null;
  /** Addresses that follow the pattern. */
  examples: string[];
}

/** Patterns that derive the local part from a name. The most common ones come first: if several match, the first counts. */
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
/** Parts of each pattern: placeholders and the text between them. */
const PIECES: ReadonlyMap<string, readonly string[]> = new Map(
  PATTERNS.map((each) => [each, each.split(/[{}]/)]),
);
const EXAMPLES_MAX = 5;
const NAME = /^\p{Lu}[\p{L}'’-]+$/u;
const WORD = /^\p{L}[\p{L}'’-]+$/u;

/**
 * @param addresses of people at one domain; without role addresses
 * @returns the pattern that most of them follow. A name next to an address proves its pattern; without one, two words with
 *   a dot between them are a likely pattern. High: two addresses are proven, and none follows another pattern.
 */
export function emailPatternOf(addresses: readonly SeenAddress[]): EmailPattern {
  const votes = new Map<string, { proven: number; examples: string[] }>();
  for (const { email, near } of addresses) {
    const localPart = email.slice(0, email.lastIndexOf('@')).toLowerCase();
    const [{ pattern: proven = null } = {}] = explanationsOf(localPart, near, NAME);
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
  return { pattern, confidence: isContested ? 'low' : confidence, examples: examples.slice(0, EXAMPLES_MAX) };
}

/** @returns the local part that a pattern derives from a name, folded to ASCII letters */
export function localPartOf(pattern: string, first: string, last: string): string {
  const parts: Record<string, string> = { first, last, f: first.slice(0, 1), l: last.slice(0, 1) };
  const pieces = PIECES.get(pattern) ?? pattern.split(/[{}]/);
  return pieces.map((piece) => parts[piece] ?? piece).join('');
}

/** Name in a text from which a local part can be derived. */
export interface Explanation {
  pattern: string;
  /** First and last name as written. */
  words: readonly [string, string];
  /** Positions of these words in the text, from 0. */
  at: readonly [number, number];
}

/**
 * @param name pattern of a word of a name. If omitted, any word of letters may be one, for names in lower case.
 * @returns each pair of words from which a pattern derives the local part, with the first such pattern
 */
export function explanationsOf(localPart: string, near: string, name = WORD): Explanation[] {
  const words = near
    .split(/[\s,;:|()/]+/)
    .map((word) => word.replace(/\.$/, ''))
    .map((word) => (name.test(word) ? word : null));
  const forms = new Map<string, readonly string[]>();
  const formsOnce = (word: string): readonly string[] => {
    const known = forms.get(word) ?? formsOf(word);
    forms.set(word, known);
    return known;
  };
  // Every pattern starts with one of the names, so most words near an address can be skipped. Non-ASCII letters are
  // transliterated.
  const canBegin = (word: string): boolean => {
    const letter = word[0]!.toLowerCase();
    return letter === localPart[0] || letter > 'z';
  };
  const explanationOf = (from: number, to: number): Explanation | null => {
    const [first = null, last = null] = [words[from], words[to]];
    if (first === null || last === null || !(canBegin(first) || canBegin(last))) return null;
    const pattern = patternOf(localPart, spellingPairs(formsOnce(first), formsOnce(last)));
    // Initials alone match any two common words.
    if (pattern === null || (pattern === '{f}{l}' && !(NAME.test(first) && NAME.test(last)))) return null;
    return { pattern, words: [first, last], at: [from, to] };
  };
  const closest = words.map((_, at) => explanationOf(at, at + 1));
  return words.flatMap((_, at) => {
    // A middle name or an initial may be between the two; but "Join John Smith" is about John Smith.
    const apart = closest[at + 1] ? null : explanationOf(at, at + 2);
    return [closest[at] ?? null, apart].filter((each) => each !== null);
  });
}

/**
 * @param lines texts of a site
 * @param max maximum number of names
 * @returns pairs of words written like a name, with at most one word between them: first names by last name, in the letters
 *   of addresses
 */
export function namesIn(lines: readonly string[], max: number): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  let left = max;
  for (const line of lines) {
    const words = line.split(/[\s,;:|()/*_#[\]]+/).filter(Boolean);
    for (const [at, word] of words.entries()) {
      if (!NAME.test(word)) continue;
      for (const other of words.slice(at + 1, at + 3).filter((each) => NAME.test(each))) {
        const [first, last] = [foldWord(word), foldWord(other)];
        const known = names.get(last) ?? new Set();
        names.set(last, known.add(first));
        if ((left -= 1) === 0) return names;
      }
    }
  }
  return names;
}

/** @returns the first pattern that derives a local part from one of the spellings of a name; null when none does */
export function patternOf(
  localPart: string,
  names: ReadonlyArray<readonly [first: string, last: string]>,
): string | null {
  for (const [first, last] of names) {
    if (localPart.length > first.length + last.length + 1) continue;
    const pattern = PATTERNS.find((each) => matchesPattern(localPart, PIECES.get(each)!, first, last));
    if (pattern) return pattern;
  }
  return null;
}

/** Compares like `localPartOf` without creating a string: it runs fifteen times for every two words near an address. */
function matchesPattern(localPart: string, pieces: readonly string[], first: string, last: string): boolean {
  let at = 0;
  for (const piece of pieces) {
    const isInitial = piece === 'f' || piece === 'l';
    const part =
      piece === 'first' || piece === 'f' ? first : piece === 'last' || piece === 'l' ? last : piece;
    if (!(isInitial ? localPart[at] === part[0] : localPart.startsWith(part, at))) return false;
    at += isInitial ? 1 : part.length;
  }
  return at === localPart.length;
}

/**
 * Returns the spellings of a word in addresses. Non-ASCII letters lose their marks or become two letters: "Müller" is
 * muller or mueller.
 */
function formsOf(word: string): string[] {
  const plain = (text: string): string => foldWord(text).replace(/[^a-z]/g, '');
  const lower = word.toLowerCase();
  const german = lower.replace(/[äöüß]/g, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' })[letter]!);
  return german === lower ? [plain(word)] : [plain(word), plain(german)];
}

/** @returns both words in their first spelling, then in their last, if it differs */
function spellingPairs(a: readonly string[], b: readonly string[]): Array<[string, string]> {
  const pairs = Math.max(a.length, b.length) > 1 ? [0, -1] : [0];
  return pairs
    .map((at): [string, string] => [a.at(at) ?? '', b.at(at) ?? ''])
    .filter(([first, last]) => first.length > 1 && last.length > 1);
}

function patternByShape(localPart: string): string | null {
  if (/^[a-z]{2,}\.[a-z]{2,}$/.test(localPart)) return '{first}.{last}';
  return /^[a-z]\.[a-z]{2,}$/.test(localPart) ? '{f}.{last}' : null;
}
