import { domainToASCII, domainToUnicode } from 'node:url';
import { fieldError } from './faults/faults.js';
import { linkedInProfilesIn, linkedInSlug } from './linkedin-slug.js';

/** Identifiers of a person to erase; one of the three is required. */
export interface PersonNamed {
  email?: string | undefined;
  linkedin_url?: string | undefined;
  name?: string | undefined;
  company?: string | undefined;
}

export type PersonKind = 'email' | 'linkedin' | 'name';

type Finder = (texts: readonly string[]) => boolean;

/**
 * Person to search for: by e-mail address, by LinkedIn URL, or by name and company. Case and accents are ignored.
 */
export class Person {
  /** @param find returns whether texts that belong together name the person; instances are created by {@link of} */
  constructor(
    readonly kind: PersonKind,
    /** Canonical form of the person, for a hash. */
    readonly canonical: string,
    /** LIKE patterns on folded text. They match everything that {@link isIn} does, and more. */
    readonly patterns: readonly string[],
    private readonly find: Finder,
  ) {}

  /** @returns the person. @throws AppError invalid_request, with the field that identifies nobody */
  static of({ email, linkedin_url: url, name, company }: PersonNamed): Person {
    const isNamed = name !== undefined || company !== undefined;
    if ([email !== undefined, url !== undefined, isNamed].filter(Boolean).length !== 1)
      throw fieldError([], 'Give an email, or a linkedin_url, or a name and a company.');
    if (email !== undefined) return byEmail(email);
    if (url !== undefined) return byLinkedIn(url);
    return byName(name ?? '', company ?? '');
  }

  /** Returns whether a text that may name the person matches one of {@link patterns}, or all of them. */
  get sought(): 'any' | 'all' {
    return this.kind === 'name' ? 'all' : 'any';
  }

  /** @returns whether values that belong together (a row, a request with its response) name the person */
  isIn(...values: unknown[]): boolean {
    return this.find(values.flatMap(textsOf));
  }

  /**
   * @returns the value with each text replaced by `instead` if its object or list names the person
   */
  redacted(value: unknown, instead: string | null): unknown {
    if (typeof value === 'string') return this.isIn(value) ? instead : value;
    if (typeof value !== 'object' || value === null) return value;
    const own = Object.values(value).filter((each) => typeof each === 'string');
    const isAbout = this.isIn(own);
    const next = (each: unknown): unknown =>
      isAbout && typeof each === 'string' ? instead : this.redacted(each, instead);
    if (Array.isArray(value)) return value.map(next);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, next(each)]));
  }
}

function byEmail(email: string): Person {
  const folded = foldText(email.trim());
  if (!/^[^\s@"\\]+@[^\s@"\\]+\.[^\s@"\\]+$/.test(folded))
    throw fieldError(['email'], 'is not an e-mail address');
  // Not as a part of a longer address: ann@acme.example is neither joann@acme.example nor ann@acme.example.org.
  const forms = addressForms(email.trim());
  const either = forms.map((form) => form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|');
  const address = new RegExp(
    `(?<![\\p{L}\\p{N}._%+'-])(?:${either})(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`,
    'u',
  );
  const patterns = forms.map((form) => `%${likeText(form)}%`);
  return new Person('email', folded, patterns, (texts) => texts.some((text) => address.test(foldText(text))));
}

/** Returns the folded forms of an address: an international domain is stored as it was written, or in ASCII. */
function addressForms(email: string): string[] {
  const at = email.lastIndexOf('@') + 1;
  const [local, domain] = [email.slice(0, at), email.slice(at)];
  const forms = [domain, domainToASCII(domain), domainToUnicode(domain)].filter(Boolean);
  return [...new Set(forms.map((form) => foldText(local + form)))];
}

function byLinkedIn(url: string): Person {
  const slug = linkedInSlug('people', url);
  if (slug === null) throw fieldError(['linkedin_url'], 'is not the address of a LinkedIn profile');
  // A slug may contain percent escapes, even unnecessary ones.
  const patterns = [`%linkedin.com/in/${likeText(foldText(slug))}%`, '%linkedin.com/in/%\\%%'];
  return new Person('linkedin', slug, patterns, (texts) =>
    texts.some((text) => linkedInProfilesIn(text).includes(slug)),
  );
}

function byName(name: string, company: string): Person {
  const [names, companies] = [wordsOf(name), wordsOf(company)];
  if (names.length < 2 || companies.length === 0)
    throw fieldError([], 'Give a first and a last name, and a company.');
  const patterns = [...names, ...companies].map((word) => `%${likeText(word)}%`);
  // In one text in either order, or first and last name separately, as in separate columns.
  const wholes = nameOrders(names).map(wordPhrase);
  const parted = names
    .slice(1)
    .map((_, i) => [wordPhrase(names.slice(0, i + 1)), wordPhrase(names.slice(i + 1))]);
  return new Person('name', `${names.join(' ')}|${companies.join(' ')}`, patterns, (texts) => {
    const phrases = texts.map((text) => wordPhrase(wordsOf(text)));
    if (!phrases.some((text) => text.includes(wordPhrase(companies)))) return false;
    if (phrases.some((text) => wholes.some((whole) => text.includes(whole)))) return true;
    const all = new Set(phrases);
    return parted.some(([first, last]) => all.has(first!) && all.has(last!));
  });
}

/**
 * Returns the words of a name in every order that starts with its first or its last name: "Ann Mary Lee", "Lee Ann Mary"
 * and "Mary Lee Ann", since a last name may have several words.
 */
export function nameOrders(words: readonly string[]): string[][] {
  return words.map((_, i) => [...words.slice(i), ...words.slice(0, i)]);
}

/** Folds like erasure.folded in the database, which does not know the Greek sigma of the end of a word. */
function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .toLowerCase()
    .replaceAll('ς', 'σ');
}

function wordsOf(text: string): string[] {
  return foldText(text)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);
}

/** Adds surrounding spaces, so that a phrase only matches whole words. */
function wordPhrase(words: readonly string[]): string {
  return ` ${words.join(' ')} `;
}

function likeText(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** Returns all texts in a value, including keys; a text that is itself JSON is parsed. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') {
    const held = /^\s*["[{]/.test(value) ? parseJson(value) : null;
    return held === null ? [value] : textsOf(held);
  }
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsOf(each)]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
