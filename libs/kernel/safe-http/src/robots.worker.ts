// Runs in a worker thread, in development directly from this TypeScript file: so it has no imports.

/** Maximum number of sitemaps per file. */
const SITE_MAPS_MAX = 100;
/** Maximum number of distinct rules per group, in the order of the file. */
const RULES_MAX = 1_000;
const PATTERN_CHARACTERS_MAX = 500;
const ADDRESS_CHARACTERS_MAX = 2_048;

type Key = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';
/** A line with its key and its value, without a comment. Lines with other keys are ignored. */
const FIELD = /^[ \t\uFEFF]*(user-agent|allow|disallow|crawl-delay|sitemap)[ \t]*:([^\r\n#]*)/gim;

export interface Rule {
  readonly isAllowed: boolean;
  /** Pattern in the form of {@link comparablePath}, with `*` for any text and a final `$` for the end. */
  readonly pattern: string;
}

/** The rules of a robots.txt for one program. */
export interface RobotsFile {
  /** Most specific first. */
  readonly rules: readonly Rule[];
  /** Seconds between two requests that the site demands; null if it demands none. */
  readonly delaySeconds: number | null;
  /** Sitemaps that the file names, as written. */
  readonly siteMaps: readonly string[];
}

interface Group {
  /** By kind and pattern: repeated rules count once. */
  readonly rules: Map<string, Rule>;
  delaySeconds: number | null;
}

/**
 * Parses a robots.txt in one pass.
 * @param product name of the program, such as `QuarryBot`; the group for `*` applies if no group names it
 */
export default function parseRobots({ text, product }: { text: string; product: string }): RobotsFile {
  const own = emptyGroup();
  const others = emptyGroup();
  const siteMaps: string[] = [];
  const name = product.toLowerCase();
  let isNamed = false;
  let spokenTo = new Set<Group>();
  let isNaming = false;
  for (const { 1: written = '', 2: after = '' } of text.matchAll(FIELD)) {
    const key = written.toLowerCase() as Key;
    const value = after.trim();
    if (key === 'sitemap') {
      if (value !== '' && value.length <= ADDRESS_CHARACTERS_MAX && siteMaps.length < SITE_MAPS_MAX)
        siteMaps.push(value);
    } else if (key === 'user-agent') {
      if (!isNaming) spokenTo = new Set();
      isNaming = true;
      if (value === '*') spokenTo.add(others);
      // Some files include the version: "QuarryBot/1.0".
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
  return { rules: [...rules.values()].sort(bySpecificity), delaySeconds, siteMaps };
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
  // A truncated pattern matches more than the full one, so an `Allow` must not be truncated.
  if (isAllowed && whole.length > PATTERN_CHARACTERS_MAX) return;
  const pattern = whole.slice(0, PATTERN_CHARACTERS_MAX);
  group.rules.set(`${key} ${pattern}`, { isAllowed, pattern });
}

function bySpecificity(a: Rule, b: Rule): number {
  return b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed);
}

/**
 * Normalises a path or a pattern for comparison: unreserved characters are decoded, and all other octets are encoded in
 * upper case. Source: RFC 9309, section 2.2.2.
 */
export function comparablePath(text: string): string {
  return text
    .toWellFormed()
    .replace(/%[0-9a-f]{2}/gi, (written) => {
      const character = String.fromCharCode(parseInt(written.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : written.toUpperCase();
    })
    .replace(/[^\x21-\x7e]+/g, (written) => encodeURIComponent(written));
}

/** Returns a pattern with `*` for any text and a final `$` for the end; a `$` elsewhere is literal. */
function patternOf(written: string): string {
  const isWhole = written.endsWith('$');
  const open = comparablePath(isWhole ? written.slice(0, -1) : written);
  return open.replace(/\*+/g, '*').replaceAll('$', '%24') + (isWhole ? '$' : '');
}
