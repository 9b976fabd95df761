import { isTitle, type PersonName } from '@quarry/extraction';
import {
  explanationsOf,
  localPartOf,
  patternOf,
  type Explanation,
  type SeenAddress,
} from '../company/email-pattern.js';

/** Maximum number of addresses: more would be guesses, and each is a request to a mail server. */
export const LIKELY_MAX = 4;
/** Patterns with the last name and the first name or its initial. */
const BOTH = /\{(first|f)\}.*\{last\}|\{last\}.*\{(first|f)\}/;
/** Patterns with both full names. With only an initial, an address may as well belong to John's colleague Jane. */
const TELLING = /\{first\}.*\{last\}|\{last\}.*\{first\}/;
/**
 * Common patterns, for a site without addresses. The first name alone is omitted: such a mailbox may exist and belong to
 * somebody else. Our selection: the known patterns that use both names, the most common ones first.
 */
const USUAL = ['{first}.{last}', '{f}{last}', '{first}{last}', '{f}.{last}'];

/**
 * Ranks of an address by the confidence that it belongs to the person: derived from the name next to it, next to text about
 * the person, derived from both names, derived from the last name and an initial.
 */
const [BESIDE, ABOUT, MADE, INITIAL, UNKNOWN, OTHERS] = [0, 1, 2, 3, 4, 5];
/** Results for an occurrence that are the same for every person. They are cached as long as the occurrence. */
const RANKED = new WeakMap<SeenAddress, RankedPlace>();

interface RankedPlace {
  email: string;
  localPart: string;
  near: string;
  /** Names near the address from which it can be derived. */
  explanations: readonly Explanation[];
}

type Spellings = ReturnType<PersonName['spellings']>;

/** Possible address of a person. */
export interface LikelyAddress {
  email: string;
  /**
   * `printed`: the company's own pages show it as this person's; `pattern`: derived with the site's pattern, or shown
   * without a name and derived from the last name and an initial, which is no stronger evidence; `guess`: derived with a
   * common pattern.
   */
  from: 'printed' | 'pattern' | 'guess';
  /** True when it is derived from both full names, or from a part of the person's name that is next to it. */
  isTelling: boolean;
}

/**
 * Finds addresses of a person among those of a site. An address is the person's if it is next to the name and derived from
 * it; if it is next to text about the person and starts with two letters of one of the names or is their initials; or if it
 * is derived from both names and no other name next to it explains it. One with an initial and no name next to it is only
 * likely.
 * @param addresses occurrences of people's addresses on the site
 * @returns each address once, the most certain first
 */
export function printedAddresses(person: PersonName, addresses: readonly SeenAddress[]): LikelyAddress[] {
  const ranks = new Map<string, number>();
  const names = person.spellings();
  for (const place of addresses.map(rankedPlace)) {
    const { email } = place;
    const rank = rankOf(person, names, place);
    ranks.set(
      email,
      rank === OTHERS || ranks.get(email) === OTHERS ? OTHERS : Math.min(rank, ranks.get(email) ?? rank),
    );
  }
  return [...ranks]
    .filter(([, rank]) => rank <= INITIAL)
    .sort(([, a], [, b]) => a - b)
    .map(([email, rank]): LikelyAddress => ({
      email,
      from: rank === INITIAL ? 'pattern' : 'printed',
      isTelling: rank === BESIDE || rank === MADE,
    }));
}

/**
 * Derives addresses from a name.
 * @param pattern of the site; null when it shows no addresses, to use the common patterns
 * @param domain of the addresses
 * @param printed addresses on the site: their owner is already decided, so they are not derived again
 * @param others names on the site, first names by last name: an address that could also belong to one of them is omitted
 * @returns likely ones first, at most {@link LIKELY_MAX}; empty for a name without Latin letters
 */
export function madeAddresses(
  person: PersonName,
  pattern: string | null,
  {
    domain,
    printed,
    others,
  }: { domain: string; printed: ReadonlySet<string>; others: ReadonlyMap<string, ReadonlySet<string>> },
): LikelyAddress[] {
  const names = person.spellings();
  const isShared = (way: string, first: string, last: string): boolean =>
    [...(others.get(last) ?? [])].some(
      (other) =>
        localPartOf(way, other, last) === localPartOf(way, first, last) &&
        !person.hasWord(other) &&
        !isTitle(other),
    );
  const madeBy = (way: string, spellings: Spellings): string[] =>
    spellings.flatMap(([first, last]) => (isShared(way, first, last) ? [] : [localPartOf(way, first, last)]));
  // With the site's pattern, all spellings; with several common patterns, only the most likely spelling.
  const made = pattern ? madeBy(pattern, names) : USUAL.flatMap((each) => madeBy(each, names.slice(0, 1)));
  return [...new Set(made)]
    .map((localPart) => ({ localPart, email: `${localPart}@${domain}` }))
    .filter(({ email }) => !printed.has(email))
    .slice(0, LIKELY_MAX)
    .map(({ localPart, email }) => ({
      email,
      from: pattern ? 'pattern' : 'guess',
      isTelling: TELLING.test(pattern ?? patternOf(localPart, names) ?? ''),
    }));
}

/**
 * Returns whether an address has a part of the person's name. Without it, an address next to text about a person may be an
 * assistant's or a team's (studio@).
 */
function couldBeOf(names: Spellings, localPart: string): boolean {
  if (names.length === 0) return true;
  const word = /^([a-z]+)\d*$/.exec(localPart)?.[1];
  // "m.kowalska", "jf.lefevre": one full name, and initials.
  if (word === undefined)
    return names.some(([first, last]) => {
      const parts = localPart.split(/[._-]/);
      const whole = parts.filter((part) => part === first || part === last);
      return (
        whole.length > 0 &&
        parts.every((part) => whole.includes(part) || (/^[a-z]{1,2}$/.test(part) && part[0] === first[0]))
      );
    });
  return names.some(
    ([first, last]) =>
      [first, last].some((name) => name.length > 1 && word.startsWith(name.slice(0, 2))) ||
      // Initials, possibly with one of a middle name.
      (word.length <= 3 && word.length > 1 && word.startsWith(first[0]!) && word.endsWith(last[0]!)),
  );
}

function rankedPlace(seen: SeenAddress): RankedPlace {
  const known = RANKED.get(seen);
  if (known) return known;
  const [email, { near }] = [seen.email.toLowerCase(), seen];
  const localPart = email.slice(0, email.lastIndexOf('@')).split('+')[0]!;
  const place = { email, localPart, near, explanations: explanationsOf(localPart, near) };
  RANKED.set(seen, place);
  return place;
}

function rankOf(
  person: PersonName,
  names: Spellings,
  { localPart, near, explanations }: RankedPlace,
): number {
  const isOwn = ({ pattern, words: [first, last] }: Explanation): boolean =>
    (!/\{f/.test(pattern) || person.hasWord(first)) && (!/\{l/.test(pattern) || person.hasWord(last));
  const taken = new Set(explanations.filter(isOwn).flatMap(({ at }) => at));
  // A word belongs to one name only: a word of the person's own name does not indicate somebody else.
  if (explanations.some((each) => !isOwn(each) && !each.at.some((word) => taken.has(word)))) return OTHERS;
  const pattern = patternOf(localPart, names);
  if (pattern !== null && person.isIn(near)) return BESIDE;
  if (couldBeOf(names, localPart) && person.isSubjectOf(near)) return ABOUT;
  if (pattern === null || !BOTH.test(pattern)) return UNKNOWN;
  return TELLING.test(pattern) ? MADE : INITIAL;
}
