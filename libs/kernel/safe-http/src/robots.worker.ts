// Runs in a worker thread, in development straight from this text: so it imports nothing.

/** At most so many site maps that one file names. */
const SITE_MAPS_MAX = 100;
/** Distinct rules of a group that count, in the order of the file. */
const RULES_MAX = 1_000;
const PATTERN_CHARACTERS_MAX = 500;
const ADDRESS_CHARACTERS_MAX = 2_048;

type Key = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';
/** A line with its key and its value, without a comment. Lines of other keys are passed over. */
const FIELD = /^[ \t\uFEFF]*(user-agent|allow|disallow|crawl-delay|sitemap)[ \t]*:([^\r\n#]*)/gim;

export interface Rule {
  readonly isAllowed: boolean;
  /** With `*` for anything and `$` at its end for the end, and otherwise as {@link comparablePath} gives it. */
  readonly pattern: string;
}

/** The rules of a robots.txt for one program. */
export interface RobotsFile {
  /** The most specific first. */
  readonly rules: readonly Rule[];
  /** Seconds between two requests that the site asks for; null where it asks for none. */
  readonly delaySeconds: number | null;
  /** Site maps that the file names, as they are written. */
  readonly siteMaps: readonly string[];
}

interface Group {
  /** By kind and pattern: a rule that is repeated counts once. */
  readonly rules: Map<string, Rule>;
  delaySeconds: number | null;
}

/**
 * Reads a robots.txt in one pass.
 * @param product name of the program, such as `QuarryBot`; the group for `*` holds where no group names it
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
  // A beginning of a pattern matches more than the whole of it, which only the site may decide for what it opens.
  if (isAllowed && whole.length > PATTERN_CHARACTERS_MAX) return;
  const pattern = whole.slice(0, PATTERN_CHARACTERS_MAX);
  group.rules.set(`${key} ${pattern}`, { isAllowed, pattern });
}

function bySpecificity(a: Rule, b: Rule): number {
  return b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed);
}

/**
 * Returns a path or a pattern in the form in which both are compared: octets that need no encoding stand for themselves, all
 * others are encoded in capitals. Source: RFC 9309, section 2.2.2.
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

/** Returns a pattern with `*` for anything and `$` at its end for the end; a `$` elsewhere stands for itself. */
function patternOf(written: string): string {
  const isWhole = written.endsWith('$');
  const open = comparablePath(isWhole ? written.slice(0, -1) : written);
  return open.replace(/\*+/g, '*').replaceAll('$', '%24') + (isWhole ? '$' : '');
}
