import { setImmediate as nextTurn } from 'node:timers/promises';

/** At most so many site maps that one file names. */
const SITE_MAPS_MAX = 100;
/** Distinct rules of a group that count, in the order of the file. */
const RULES_MAX = 1_000;
const PATTERN_CHARACTERS_MAX = 500;
const PATH_CHARACTERS_MAX = 2_048;
const ADDRESS_CHARACTERS_MAX = 2_048;
/** Characters that are read in one turn of the event loop: some 8 ms of one core. */
const TURN_CHARACTERS = 65_536;
/** What a rule takes beside its characters. */
const RULE_BYTES = 200;

type Key = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';
/** A line with its key and its value, without a comment. Lines of other keys are passed over. */
const FIELD = /^[ \t\uFEFF]*(user-agent|allow|disallow|crawl-delay|sitemap)[ \t]*:([^\r\n#]*)/gim;

interface Rule {
  readonly isAllowed: boolean;
  /** As {@link patternOf} gives it. */
  readonly pattern: string;
}

interface Group {
  /** By kind and pattern: a rule that is repeated counts once. */
  readonly rules: Map<string, Rule>;
  delaySeconds: number | null;
}

/**
 * The rules of a robots.txt that speak to one program. A file is read in one pass, with turns for others in between, and a verdict costs at most
 * rules × (path + pattern) steps, whatever the file says: both are done on the thread that serves requests.
 * Source: RFC 9309.
 */
export class RobotsRules {
  private constructor(
    /** The most specific first. */
    private readonly rules: readonly Rule[],
    /** Seconds between two requests that the site asks for; null where it asks for none. */
    readonly delaySeconds: number | null,
    /** Site maps that the file names, as they are written. */
    readonly siteMaps: readonly string[],
  ) {}

  /**
   * Reads a robots.txt.
   * @param product name of the program, such as `QuarryBot`; the group for `*` holds where no group names it
   */
  static async parse(text: string, product: string): Promise<RobotsRules> {
    const own = emptyGroup();
    const others = emptyGroup();
    const siteMaps: string[] = [];
    const name = product.toLowerCase();
    let isNamed = false;
    let spokenTo = new Set<Group>();
    let isNaming = false;
    let turnAt = TURN_CHARACTERS;
    for (const { 1: written = '', 2: after = '', index } of text.matchAll(FIELD)) {
      if (index >= turnAt) {
        await nextTurn();
        turnAt = index + TURN_CHARACTERS;
      }
      const key = written.toLowerCase() as Key;
      const value = after.trim();
      if (key === 'sitemap') {
        if (value !== '' && value.length <= ADDRESS_CHARACTERS_MAX && siteMaps.length < SITE_MAPS_MAX)
          siteMaps.push(copied(value));
      } else if (key === 'user-agent') {
        if (!isNaming) spokenTo = new Set();
        isNaming = true;
        if (value === '*') spokenTo.add(others);
        // Some write the version too: "QuarryBot/1.0".
        else if (value.slice(0, 100).split('/')[0]!.trim().toLowerCase() === name) {
          spokenTo.add(own);
          isNamed = true;
        }
      } else {
        isNaming = false;
        for (const group of spokenTo) readField(group, key, value);
      }
    }
    const { rules, delaySeconds } = isNamed ? own : others;
    return new RobotsRules([...rules.values()].sort(bySpecificity), delaySeconds, siteMaps);
  }

  /** Returns the rules of a site none of whose pages may be read. */
  static closed(): RobotsRules {
    return new RobotsRules([{ isAllowed: false, pattern: '/' }], null, []);
  }

  /** Approximate size in memory. */
  get bytes(): number {
    const patterns = this.rules.reduce((sum, { pattern }) => sum + pattern.length + RULE_BYTES, RULE_BYTES);
    return this.siteMaps.reduce((sum, each) => sum + 2 * each.length, patterns);
  }

  /** Returns whether an address may be read: the longest pattern that matches decides, and `Allow` where two are equal. */
  isAllowed({ pathname, search }: Pick<URL, 'pathname' | 'search'>): boolean {
    const path = literal((pathname + search).slice(0, PATH_CHARACTERS_MAX)).slice(0, PATH_CHARACTERS_MAX);
    return this.rules.find(({ pattern }) => isMatch(pattern, path))?.isAllowed ?? true;
  }
}

function emptyGroup(): Group {
  return { rules: new Map(), delaySeconds: null };
}

function readField(group: Group, key: Exclude<Key, 'user-agent' | 'sitemap'>, value: string): void {
  if (value === '') return;
  if (key === 'crawl-delay') {
    const seconds = Number(value);
    if (seconds >= 0) group.delaySeconds = seconds;
    return;
  }
  if (group.rules.size >= RULES_MAX) return;
  const isAllowed = key === 'allow';
  const whole = patternOf(value.slice(0, PATTERN_CHARACTERS_MAX + 1));
  // A beginning of a pattern matches more than the whole of it, which only the site may decide for what it opens.
  if (isAllowed && whole.length > PATTERN_CHARACTERS_MAX) return;
  const pattern = copied(whole.slice(0, PATTERN_CHARACTERS_MAX));
  group.rules.set(`${key} ${pattern}`, { isAllowed, pattern });
}

function bySpecificity(a: Rule, b: Rule): number {
  return b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed);
}

/** Returns a text that keeps nothing of the file that it was cut from in memory. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}

/**
 * Returns a path or a pattern in the form in which both are compared: octets that need no encoding stand for themselves, all
 * others are encoded in capitals. Source: RFC 9309, section 2.2.2.
 */
function comparable(text: string): string {
  return text
    .toWellFormed()
    .replace(/%[0-9a-f]{2}/gi, (written) => {
      const character = String.fromCharCode(parseInt(written.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : written.toUpperCase();
    })
    .replace(/[^\x21-\x7e]+/g, (written) => encodeURIComponent(written));
}

/** Returns a pattern with `*` for anything and `$` at its end for the end; a `$` elsewhere stands for itself. */
function patternOf(written: string): string {
  const isWhole = written.endsWith('$');
  const open = comparable(isWhole ? written.slice(0, -1) : written);
  return open.replace(/\*+/g, '*').replaceAll('$', '%24') + (isWhole ? '$' : '');
}

/** Returns the form in which a path is compared: what has a meaning in patterns stands for itself there. */
function literal(text: string): string {
  return comparable(text).replaceAll('*', '%2A').replaceAll('$', '%24');
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
