import {
  explanationsOf,
  localPartOf,
  patternOf,
  type Explanation,
  type SeenAddress,
} from '../company/email-pattern.js';
import { isTitle, type PersonName } from './person-name.js';

/** More would only be guesses, and each is a question to somebody's mail server. */
export const LIKELY_MAX = 4;
/** Patterns that take the last name and something of the first. */
const BOTH = /\{(first|f)\}.*\{last\}|\{last\}.*\{(first|f)\}/;
/** Patterns that take both names whole. With an initial only, an address may as well be that of John's colleague Jane. */
const TELLING = /\{first\}.*\{last\}|\{last\}.*\{first\}/;
/**
 * The usual ways for a site that shows none. A first name alone is left out: it may well be a mailbox, and that of somebody else.
 * Ours: those of the known patterns that take something of both names, the usual ones in front.
 */
const USUAL = ['{first}.{last}', '{f}{last}', '{first}{last}', '{f}.{last}'];

/**
 * Ranks of an address by how surely it is the person's: made of the name beside it, beside words about them, made of
 * both names, made of the last name and an initial.
 */
const [BESIDE, ABOUT, MADE, INITIAL, UNKNOWN, OTHERS] = [0, 1, 2, 3, 4, 5];
/** Findings about a place's address, for any person. A place is cached with its site, and this as long as the place. */
const RANKED = new WeakMap<SeenAddress, RankedPlace>();

interface RankedPlace {
  email: string;
  localPart: string;
  near: string;
  /** Names beside the address that it could be made of. */
  explanations: readonly Explanation[];
}

type Spellings = ReturnType<PersonName['spellings']>;

/** An address that may be a person's. */
export interface LikelyAddress {
  email: string;
  /**
   * `printed`: the company's own pages show it as theirs; `pattern`: made as others of the site are, or shown beside no name and made of the
   * last name and an initial, so that it is no more theirs than one that is made; `guess`: made as is usual.
   */
  from: 'printed' | 'pattern' | 'guess';
  /** True where it is made of both whole names of the person, or of something of their name that stands beside it. */
  isTelling: boolean;
}

/**
 * Finds addresses of a person among those of a site. One is theirs when it stands beside their name and is made of it, when the words
 * beside it are about them and it begins with two letters of one of their names or is their initials, or when it is made of both names and
 * nobody else's name beside it explains it. One with an initial, beside no name, is only likely.
 * @param addresses places where the site shows addresses of people
 * @returns the surest first, each once
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
 * Makes addresses of a name.
 * @param pattern the site's own; null where it shows none, which makes the usual ones
 * @param domain of the addresses
 * @param printed addresses that the site shows: whose they are has been decided, so none is made again
 * @param others names on the site, first words by the last one: what would be the address of one of them as well is nobody's to tell
 * @returns the likely ones first, at most {@link LIKELY_MAX}; none for a name without Latin letters
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
  // Of one pattern every spelling; of several usual ones the likely spelling of each.
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

/** Beside words about a person may stand the address of an assistant, or of a team (studio@): what has nothing of their name is not theirs. */
function couldBeOf(names: Spellings, localPart: string): boolean {
  if (names.length === 0) return true;
  const word = /^([a-z]+)\d*$/.exec(localPart)?.[1];
  // "m.kowalska", "jf.lefevre": one of the names is whole, and the rest are initials.
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
      // Initials, perhaps with that of a middle name.
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
  // A word is of one name only: what stands in the person's own is not that of somebody else.
  if (explanations.some((each) => !isOwn(each) && !each.at.some((word) => taken.has(word)))) return OTHERS;
  const pattern = patternOf(localPart, names);
  if (pattern !== null && person.isIn(near)) return BESIDE;
  if (couldBeOf(names, localPart) && person.isSubjectOf(near)) return ABOUT;
  if (pattern === null || !BOTH.test(pattern)) return UNKNOWN;
  return TELLING.test(pattern) ? MADE : INITIAL;
}
