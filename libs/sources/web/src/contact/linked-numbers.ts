import { countryNamed } from '@quarry/vocabulary';
import { registrableDomain } from '@quarry/dto';
import type { PhoneNumber } from 'libphonenumber-js/core';
import { organisationsOf, ownOrganisations } from '../company/company-name.js';
import type { ReadPage } from '../pages/page.js';
import { isA, valuesIn, nodeAt, schemaNodesOf, wordsAt, parsedPhone } from '@quarry/extraction';
import type { PersonName } from './person-name.js';

/** A place where a site shows a telephone number that may be one person's. */
export interface SeenNumber {
  /** E.164. */
  number: string;
  /** Words beside the link or text, or the name of the person whom the page describes with it; at most 300 characters. */
  near: string;
  /** Host of the page. */
  source: string;
}

/** Places of one site that are kept, all of a number or none; more are a list of branches. */
const PLACES_MAX = 200;
/** Places on all pages of a site together. */
const SHOWN_MAX = 255;
const NEAR_MAX = 300;
/** Types of numbers at which no person is reached: free or dear for callers, of a whole company, or a machine. Source: libphonenumber. */
const SHARED_TYPES: ReadonlySet<string | undefined> = new Set([
  'TOLL_FREE',
  'PREMIUM_RATE',
  'SHARED_COST',
  'UAN',
  'VOICEMAIL',
]);
/** By so many of its last digits a number is known again, however it is written before them. A few countries have no more. */
const TAIL = 6;
/** Words beside a number that many share, or that nobody answers. */
const SHARED =
  /switchboard|reception|head ?office|headquarters|main (line|number|office)|call us|hotline|help ?desk|support|customer|assistan|assistent|secretar|zentrale|empfang|sekret|kundenservice|standard|centralita|accueil|\bfax\b|telefax/i;
/** Domains of countries that are used by everybody. */
const NO_COUNTRY = new Set(
  'ac ag ai am bz cc cd co eu fm gg im io is la ly me ms nu sc sh sr st su tk to tv vc ws'.split(' '),
);

/**
 * Finds the numbers of a site that may be one person's: those that a page links or describes as a person's. Not so one that is described as the
 * company's, that stands in two links of a page or beside a word such as "reception", or whose type says that many share it. A number
 * without a country code is read as one of the site's country. A place is one in links, texts or data, however it is written there.
 * @returns each number with every place, words that say the same once; none where they are too many to judge
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
    // One with an extension is a switchboard's, and E.164 has no place for the rest.
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
    // All of a number or none: one place that is left out may be the one that says whose it is.
    if (kept.length + distinct.length > PLACES_MAX) continue;
    kept.push(...distinct.map(({ near, source }) => ({ number, near, source })));
  }
  return kept;
}

/**
 * Finds numbers of a person. A number is theirs when every place where the site shows it is about them: the number of the company is no find.
 * @param seen as {@link numbersOf} finds them
 * @returns E.164 with the hosts that show them, each number once
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

/** A place where a page shows a number. */
interface NumberPlace {
  page: ReadPage;
  source: string;
  near: string;
  text: string;
  isLink: boolean;
  isQuoted: boolean;
  /** null for a text, which speaks against a number and for none, and for what says more or less than a number. */
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

/** E.164 of numbers that the site describes as the company's own. */
function describedOf(pages: readonly ReadPage[], read: Read): string[] {
  return pages
    .flatMap(organisationsOf)
    .flatMap((node) => [node.telephone, ...valuesIn(node.contactPoint).map(telephoneOf)])
    .flatMap(valuesIn)
    .flatMap((value) =>
      typeof value === 'string' ? ((read(value)?.number as string | undefined) ?? []) : [],
    );
}

/** E.164 of numbers that stand in several links of one page, as that of a company does. */
function repeatedIn(places: readonly NumberPlace[]): string[] {
  const links = places.filter(({ isLink, parsed }) => isLink && parsed !== null);
  const counts = Map.groupBy(links, ({ page, parsed }) => `${page.url} ${parsed!.number}`);
  return [...counts.values()].flatMap(([first, ...more]) =>
    more.length > 0 ? [first!.parsed!.number as string] : [],
  );
}

/** Every run of digits in a text that may be the end of a number. */
function tailsIn(text: string): Set<string> {
  const digits = text.replace(/\D/g, '');
  const tails = new Set<string>();
  for (let at = 0; at + TAIL <= digits.length; at += 1) tails.add(digits.slice(at, at + TAIL));
  return tails;
}

function telephoneOf(node: unknown): unknown {
  return typeof node === 'object' && node !== null ? (node as { telephone?: unknown }).telephone : null;
}

/** ISO 3166-1 alpha-2: where the company describes itself to be, else the country of the site's domain; null where neither says. */
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
