import { comparablePath, type RobotsFile, type Rule } from './robots.worker.js';

const PATH_CHARACTERS_MAX = 2_048;
/** Memory of a rule in addition to its characters. */
const RULE_BYTES = 200;

/**
 * Rules of a robots.txt for one program. A verdict is computed on the thread that serves requests, and takes at most
 * rules × (path + pattern) steps, whatever the file contains.
 * Source: RFC 9309.
 */
export class RobotsRules implements RobotsFile {
  readonly rules: readonly Rule[];
  readonly delaySeconds: number | null;
  readonly siteMaps: readonly string[];

  constructor({ rules, delaySeconds, siteMaps }: RobotsFile) {
    this.rules = rules;
    this.delaySeconds = delaySeconds;
    this.siteMaps = siteMaps;
  }

  /** Returns the rules of a site without a robots.txt: everything is allowed. */
  static open(): RobotsRules {
    return new RobotsRules({ rules: [], delaySeconds: null, siteMaps: [] });
  }

  /** Returns the rules of a site where nothing is allowed. */
  static closed(): RobotsRules {
    return new RobotsRules({ rules: [{ isAllowed: false, pattern: '/' }], delaySeconds: null, siteMaps: [] });
  }

  /** Approximate size in memory. */
  get bytes(): number {
    const patterns = this.rules.reduce((sum, { pattern }) => sum + pattern.length + RULE_BYTES, RULE_BYTES);
    return this.siteMaps.reduce((sum, each) => sum + 2 * each.length, patterns);
  }

  /** Returns whether a URL may be read: the longest matching pattern decides, and `Allow` wins a tie. */
  isAllowed({ pathname, search }: Pick<URL, 'pathname' | 'search'>): boolean {
    const path = literalPath((pathname + search).slice(0, PATH_CHARACTERS_MAX)).slice(0, PATH_CHARACTERS_MAX);
    return this.rules.find(({ pattern }) => isMatch(pattern, path))?.isAllowed ?? true;
  }
}

/** Returns a path for comparison: characters with a special meaning in patterns are encoded. */
function literalPath(text: string): string {
  return comparablePath(text).replaceAll('*', '%2A').replaceAll('$', '%24');
}

/** Returns whether a pattern matches a path from its start. */
function isMatch(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const end = isWhole ? pattern.length - 1 : pattern.length;
  let at = 0;
  for (let from = 0; from <= end;) {
    const star = pattern.indexOf('*', from);
    const to = star < 0 ? end : star;
    const part = pattern.slice(from, to);
    // The leftmost match of each part leaves the most for the next one; the first part is anchored, and so is the last one
    // before a `$`.
    const isLast = isWhole && to === end;
    if (isLast && (from === 0 ? part !== path : path.length - part.length < at || !path.endsWith(part)))
      return false;
    if (isLast) return true;
    const found = from === 0 ? (path.startsWith(part) ? 0 : -1) : indexOf(path, part, at);
    if (found < 0) return false;
    at = found + part.length;
    from = to + 1;
  }
  return true;
}

/**
 * Finds a text like `String.prototype.indexOf`, in steps proportional to the sum of both lengths, not to their product
 * (Knuth, Morris and Pratt): a file may have a thousand patterns that almost match at every position of a path.
 */
function indexOf(text: string, part: string, from: number): number {
  // Not worth it for short parts.
  if (part.length < 4) return text.indexOf(part, from);
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    while (matched > 0 && text.charCodeAt(at) !== part.charCodeAt(matched)) matched = borders[matched - 1]!;
    if (text.charCodeAt(at) === part.charCodeAt(matched)) matched += 1;
    if (matched === part.length) return at - part.length + 1;
  }
  return -1;
}

/** Returns for each prefix of a text the length of its longest proper prefix that is also its suffix. */
function bordersOf(part: string): Uint16Array {
  const borders = new Uint16Array(part.length);
  let border = 0;
  for (let at = 1; at < part.length; at += 1) {
    while (border > 0 && part.charCodeAt(at) !== part.charCodeAt(border)) border = borders[border - 1]!;
    if (part.charCodeAt(at) === part.charCodeAt(border)) border += 1;
    borders[at] = border;
  }
  return borders;
}
