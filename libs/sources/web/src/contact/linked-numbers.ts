import { countryNamed } from '@quarry/vocabulary';
import { registrableDomain } from '@quarry/dto';
import type { PhoneNumber } from 'libphonenumber-js/core';
import { organisationsOf, ownOrganisations } from '../company/company-name.js';
import type { ReadPage } from '../pages/page.js';
import {
  isA,
  valuesIn,
  nodeAt,
  schemaNodesOf,
  wordsAt,
  parsedPhone,
  type PersonName,
} from '@quarry/extraction';

/** Occurrence on a site of a telephone number that may belong to one person. */
export interface SeenNumber {
  /** E.164. */
  number: string;
  /** Words next to the link or text, or the name of the person in the structured data; at most 300 characters. */
  near: string;
  /** Host of the page. */
  source: string;
}

/** Maximum number of occurrences stored per site; of a number all or none. A site with more lists branches. */
const PLACES_MAX = 200;
/** Maximum number of occurrences on all pages of a site; with more, none is evaluated. */
const SHOWN_MAX = 255;
const NEAR_MAX = 300;
/**
 * Types of numbers that do not belong to a person: toll-free, premium rate, company-wide, or a machine. Source:
 * libphonenumber.
 */
const SHARED_TYPES: ReadonlySet<string | undefined> = new Set([
  'TOLL_FREE',
  'PREMIUM_RATE',
  'SHARED_COST',
  'UAN',
  'VOICEMAIL',
]);
/** Number of trailing digits by which a number is recognised in any notation. A few countries have no longer numbers. */
const TAIL = 6;
/** Words next to a number that is shared, or that nobody answers. */
const SHARED =
  /switchboard|reception|head ?office|headquarters|main (line|number|office)|call us|hotline|help ?desk|support|customer|assistan|assistent|secretar|zentrale|empfang|sekret|kundenservice|standard|centralita|accueil|\bfax\b|telefax/i;
/** Country domains in general use. */
const NO_COUNTRY = new Set(
  'ac ag ai am bz cc cd co eu fm gg im io is la ly me ms nu sc sh sr st su tk to tv vc ws'.split(' '),
);

/**
 * Finds the numbers of a site that may belong to one person: those that a page links or has in a person's structured data.
 * Excluded are numbers in the company's structured data, numbers with two links on a page or next to a word such as
 * "reception", and types that are shared. A number without a country code is read as one of the site's country. Occurrences
 * in links, texts and data are compared in any notation.
 * @returns each number with all occurrences, without duplicate texts; empty when there are too many to evaluate
 */
export function numbersOf(pages: readonly ReadPage[]): SeenNumber[] {
  const country = countryOf(pages);
  if (pages.some(({ numbers }) => numbers === null)) return [];
  const shown = pages.flatMap(({ numbers }) => numbers!);
  if (shown.length > SHOWN_MAX) return [];
  const known = new Map<string, PhoneNumber | null>();
  const read = (text: string): PhoneNumber | null => {
    let number = known.get(text);
    if (number !== undefined) return number;
    const parsed = parsedPhone(text, country);
    // A number with an extension belongs to a switchboard, and E.164 cannot express the extension.
    number = parsed?.isValid() && !parsed.ext ? parsed : null;
    known.set(text, number);
    return number;
  };
  const places = pages.flatMap((page) => placesOn(page, read));
  const shared = new Set([...describedOf(pages, read), ...repeatedIn(places)]);
  const written = new Map<string, NumberPlace[]>();
  for (const place of places.filter(({ parsed }) => parsed === null))
    for (const tail of tailsIn(place.text)) {
      const alike = written.get(tail);
      if (alike) alike.push(place);
      else written.set(tail, [place]);
    }
  const numbers = Map.groupBy(
    places.filter(({ parsed }) => parsed !== null),
    ({ parsed }) => parsed!.number as string,
  );
  const kept: SeenNumber[] = [];
  for (const [number, own] of numbers) {
    const parsed = own[0]!.parsed!;
    const { length } = parsed.nationalNumber;
    if (shared.has(number) || SHARED_TYPES.has(parsed.getType()) || length < TAIL) continue;
    const alike = written.get(parsed.nationalNumber.slice(-TAIL)) ?? [];
    if (alike.length > PLACES_MAX) continue;
    const others = alike.filter((place) => (read(place.text)?.number ?? number) === number);
    const all = [...own, ...others];
    if (all.some(({ near, isQuoted }) => isQuoted || SHARED.test(near))) continue;
    const distinct = [...new Map(all.map((place) => [place.near, place])).values()];
    // All occurrences of a number or none: the omitted one might be the one that shows the owner.
    if (kept.length + distinct.length > PLACES_MAX) continue;
    kept.push(...distinct.map(({ near, source }) => ({ number, near, source })));
  }
  return kept;
}

/**
 * Finds numbers of a person: those whose every occurrence on the site is about the person. The company's number does not
 * count.
 * @param seen from {@link numbersOf}
 * @returns each number once in E.164, with the host that shows it
 */
export function numbersOfPerson(
  person: PersonName,
  seen: readonly SeenNumber[],
): Array<Pick<SeenNumber, 'number' | 'source'>> {
  const places = Map.groupBy(seen, ({ number }) => number);
  return [...places].flatMap(([number, all]) =>
    all.every(({ near }) => person.isSubjectOf(near)) ? [{ number, source: all[0]!.source }] : [],
  );
}

type Read = (text: string) => PhoneNumber | null;

/** Occurrence of a number on a page. */
interface NumberPlace {
  page: ReadPage;
  source: string;
  near: string;
  text: string;
  isLink: boolean;
  isQuoted: boolean;
  /** null for plain text, which can only rule a number out, and for text that is not exactly one number. */
  parsed: PhoneNumber | null;
}

function placesOn(page: ReadPage, read: Read): NumberPlace[] {
  const at = { page, source: new URL(page.url).hostname };
  const people = schemaNodesOf(page)
    .filter((node) => isA(node, /^Person$/))
    .flatMap((node): NumberPlace[] => {
      const text = wordsAt(node, 'telephone') ?? '';
      const near = wordsAt(node, 'name')?.slice(0, NEAR_MAX);
      const parsed = read(text);
      return parsed && near ? [{ ...at, near, text, isLink: false, isQuoted: false, parsed }] : [];
    });
  const shown = (page.numbers ?? []).map((place): NumberPlace => ({
    ...at,
    ...place,
    parsed: place.isLink ? read(place.text) : null,
  }));
  return [...people, ...shown];
}

/** Returns, in E.164, the numbers in the structured data of the company. */
function describedOf(pages: readonly ReadPage[], read: Read): string[] {
  return pages
    .flatMap(organisationsOf)
    .flatMap((node) => [node.telephone, ...valuesIn(node.contactPoint).map(telephoneOf)])
    .flatMap(valuesIn)
    .flatMap((value) =>
      typeof value === 'string' ? ((read(value)?.number as string | undefined) ?? []) : [],
    );
}

/** Returns, in E.164, numbers with several links on one page, as a company's number has. */
function repeatedIn(places: readonly NumberPlace[]): string[] {
  const links = places.filter(({ isLink, parsed }) => isLink && parsed !== null);
  const counts = Map.groupBy(links, ({ page, parsed }) => `${page.url} ${parsed!.number}`);
  return [...counts.values()].flatMap(([first, ...more]) =>
    more.length > 0 ? [first!.parsed!.number as string] : [],
  );
}

/** Returns all digit sequences of a text that may be the last digits of a number. */
function tailsIn(text: string): Set<string> {
  const digits = text.replace(/\D/g, '');
  const tails = new Set<string>();
  for (let at = 0; at + TAIL <= digits.length; at += 1) tails.add(digits.slice(at, at + TAIL));
  return tails;
}

function telephoneOf(node: unknown): unknown {
  return typeof node === 'object' && node !== null ? (node as { telephone?: unknown }).telephone : null;
}

/**
 * Returns ISO 3166-1 alpha-2 of the company's address in structured data, else of the site's domain; null when neither is
 * known.
 */
function countryOf(pages: readonly ReadPage[]): string | null {
  const [home] = pages;
  if (!home) return null;
  for (const node of ownOrganisations(pages)) {
    const named = countryNamed(wordsAt(nodeAt(node, 'address'), 'addressCountry') ?? '');
    if (named) return named.id;
  }
  const suffix = registrableDomain(new URL(home.url).hostname)?.split('.').at(-1) ?? '';
  if (!/^[a-z]{2}$/.test(suffix) || NO_COUNTRY.has(suffix)) return null;
  return suffix === 'uk' ? 'GB' : suffix.toUpperCase();
}
