import { explanationsOf, localPartOf, patternOf, type SeenAddress } from '../company/email-pattern.js';
import type { PersonName } from './person-name.js';

/** More would only be guesses, and each is a question to somebody's mail server. */
export const LIKELY_MAX = 4;
/** Patterns that take something of both names: an address of one of them is hardly that of a namesake in the same company. */
const TELLING = /\{(first|f)\}.*\{last\}|\{last\}.*\{(first|f)\}/;
/**
 * The usual ways for a site that shows none. A first name alone is left out: it may well be a mailbox, and that of somebody else.
 * Ours: those of the known patterns that take something of both names, the usual ones in front.
 */
const USUAL = ['{first}.{last}', '{f}{last}', '{first}{last}', '{f}.{last}'];

/** How sure it is that an address is the person's: made of the name beside it, beside words about them, made of the whole name. */
const [BESIDE, ABOUT, MADE, UNKNOWN, OTHERS] = [0, 1, 2, 3, 4];

/** An address that may be a person's. */
export interface LikelyAddress {
  email: string;
  /** `printed`: the company's own pages show it as theirs; `pattern`: made as others of the site are; `guess`: made as is usual. */
  from: 'printed' | 'pattern' | 'guess';
  /** Whether it is made of both names of the person, or of one of them that stands beside it. */
  isTelling: boolean;
}

/**
 * Finds addresses of a person among those of a site. One is theirs when it stands beside their name and is made of it, when the words
 * beside it are about them and it begins as one of their names does, or when it is made of both names and nobody else's name beside it explains it.
 * @param addresses places where the site shows addresses of people
 * @returns the surest first, each once
 */
export function printedAddresses(person: PersonName, addresses: readonly SeenAddress[]): LikelyAddress[] {
  const ranks = new Map<string, number>();
  for (const seen of addresses) {
    const email = seen.email.toLowerCase();
    const rank = rankOf(person, { ...seen, email });
    ranks.set(
      email,
      rank === OTHERS || ranks.get(email) === OTHERS ? OTHERS : Math.min(rank, ranks.get(email) ?? rank),
    );
  }
  return [...ranks]
    .filter(([, rank]) => rank <= MADE)
    .sort(([, a], [, b]) => a - b)
    .map(([email, rank]): LikelyAddress => ({ email, from: 'printed', isTelling: rank !== ABOUT }));
}

/**
 * Makes addresses of a name.
 * @param pattern the site's own; null where it shows none, which makes the usual ones
 * @param domain of the addresses
 * @param printed addresses that the site shows: whose they are has been decided, so none is made again
 * @returns the likely ones first, at most {@link LIKELY_MAX}; none for a name without Latin letters
 */
export function madeAddresses(
  person: PersonName,
  pattern: string | null,
  { domain, printed }: { domain: string; printed: ReadonlySet<string> },
): LikelyAddress[] {
  const names = person.spellings();
  // Of one pattern every spelling; of several usual ones the likely spelling of each.
  const made = pattern
    ? names.map(([first, last]) => localPartOf(pattern, first, last))
    : USUAL.flatMap((each) => names.slice(0, 1).map(([first, last]) => localPartOf(each, first, last)));
  return [...new Set(made)]
    .map((localPart) => `${localPart}@${domain}`)
    .filter((email) => !printed.has(email))
    .slice(0, LIKELY_MAX)
    .map((email) => ({
      email,
      from: pattern ? 'pattern' : 'guess',
      isTelling: pattern === null || TELLING.test(pattern),
    }));
}

/** Beside words about a person may stand the address of an assistant: one that is made of other names is not theirs. */
function couldBeOf(person: PersonName, localPart: string): boolean {
  const initials = person.spellings().flatMap((names) => names.map((name) => name.charAt(0)));
  return initials.length === 0 || (/^[a-z]+\d*$/.test(localPart) && initials.includes(localPart.charAt(0)));
}

function rankOf(person: PersonName, { email, near }: SeenAddress): number {
  const localPart = email.slice(0, email.lastIndexOf('@')).replace(/\+.*$/, '');
  const isOthers = explanationsOf(localPart, near).some(
    ({ pattern, words: [first, last] }) =>
      (/\{f/.test(pattern) && !person.hasWord(first)) || (/\{l/.test(pattern) && !person.hasWord(last)),
  );
  if (isOthers) return OTHERS;
  const pattern = patternOf(localPart, person.spellings());
  if (pattern !== null && person.isIn(near)) return BESIDE;
  if (person.isSubjectOf(near) && couldBeOf(person, localPart)) return ABOUT;
  return pattern !== null && TELLING.test(pattern) ? MADE : UNKNOWN;
}
