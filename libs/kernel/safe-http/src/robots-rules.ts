import { comparablePath, type RobotsFile, type Rule } from './robots.worker.js';

const PATH_CHARACTERS_MAX = 2_048;
/** Bytes that a rule takes beside its characters. */
const RULE_BYTES = 200;

/**
 * The rules of a robots.txt that speak to one program. A verdict is made on the thread that serves requests, and costs at most
 * rules × (path + pattern) steps, whatever the file says.
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

  /** Returns the rules of a site that has no robots.txt: all may be read. */
  static open(): RobotsRules {
    return new RobotsRules({ rules: [], delaySeconds: null, siteMaps: [] });
  }

  /** Returns the rules of a site none of whose pages may be read. */
  static closed(): RobotsRules {
    return new RobotsRules({ rules: [{ isAllowed: false, pattern: '/' }], delaySeconds: null, siteMaps: [] });
  }

  /** Approximate size in memory. */
  get bytes(): number {
    const patterns = this.rules.reduce((sum, { pattern }) => sum + pattern.length + RULE_BYTES, RULE_BYTES);
    return this.siteMaps.reduce((sum, each) => sum + 2 * each.length, patterns);
  }

  /** Returns whether an address may be read: the longest pattern that matches decides, and `Allow` where two are equal. */
  isAllowed({ pathname, search }: Pick<URL, 'pathname' | 'search'>): boolean {
    const path = literalPath((pathname + search).slice(0, PATH_CHARACTERS_MAX)).slice(0, PATH_CHARACTERS_MAX);
    return this.rules.find(({ pattern }) => isMatch(pattern, path))?.isAllowed ?? true;
  }
}

/** Returns the form in which a path is compared: what has a meaning in patterns stands for itself there. */
function literalPath(text: string): string {
  return comparablePath(text).replaceAll('*', '%2A').replaceAll('$', '%24');
}

/** Returns whether a pattern matches a path from its beginning. */
function isMatch(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const end = isWhole ? pattern.length - 1 : pattern.length;
  let at = 0;
  for (let from = 0; from <= end;) {
    const star = pattern.indexOf('*', from);
    const to = star < 0 ? end : star;
    const part = pattern.slice(from, to);
    // The leftmost place of each part leaves the most to the next one; the first has one place only, as the last of a whole has.
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
 * As `String.prototype.indexOf`, in steps that grow with the sum of both lengths and not with their product (Knuth, Morris
 * and Pratt): a file may have a thousand patterns that nearly match at every place of a path.
 */
function indexOf(text: string, part: string, from: number): number {
  // Where the part does not begin again within itself, and where it is short, nothing is gained.
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

/** Returns for each beginning of a text how long the longest beginning of it is that is also its end. */
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
