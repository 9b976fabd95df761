import { countryNamed } from '@quarry/directory';
import { registrableDomain } from '@quarry/dto';
import { organisationsOf, ownOrganisations } from '../company/company-name.js';
import type { ReadPage } from '../pages/page.js';
import { isA, listOf, thingAt, thingsOf, wordsAt } from '../pages/things.js';
import { parsedPhone } from '../phone.provider.js';
import type { PersonName } from './person-name.js';

/** A telephone number that a site shows. */
export interface SeenNumber {
  /** E.164. */
  number: string;
  /** Words beside it, or the name of the person whom the page describes with it. */
  near: string;
  /** Host of the page. */
  source: string;
  /** It stands in several links of one page, as that of a company does. */
  isRepeated: boolean;
}

/** What a site says of numbers. */
export interface SiteNumbers {
  seen: SeenNumber[];
  /** Those that it describes as the company's own, E.164. */
  ofCompany: ReadonlySet<string>;
}

/** Numbers of one site that are kept; more are a list of branches. */
const NUMBERS_MAX = 200;
/** Words beside a number that many share, or that nobody answers. */
const SHARED =
  /switchboard|reception|head ?office|headquarters|main (line|number|office)|call us|hotline|help ?desk|support|customer|assistan|assistent|secretar|zentrale|empfang|sekret|kundenservice|standard|centralita|accueil|\bfax\b|telefax/i;
/** Domains of countries that are used by everybody. */
const NO_COUNTRY = new Set(
  'ac ag ai am bz cc cd co eu fm gg im io is la ly me ms nu sc sh sr st su tk to tv vc ws'.split(' '),
);

/** @returns what the pages of one site say of telephone numbers; a number without a country code is read as one of the site's country */
export function numbersOf(pages: readonly ReadPage[]): SiteNumbers {
  const country = countryOf(pages);
  const read = (text: string): string | null => {
    const parsed = parsedPhone(text, country);
    // One with an extension is a switchboard's, and E.164 has no place for the rest.
    return parsed?.isValid() && !parsed.ext ? (parsed.number as string) : null;
  };
  const described = pages
    .flatMap(organisationsOf)
    .flatMap((thing) => [thing.telephone, ...listOf(thing.contactPoint).map(telephoneOf)])
    .flatMap((value) =>
      listOf(value).flatMap((each) => (typeof each === 'string' ? (read(each) ?? []) : [])),
    );
  return {
    seen: pages.flatMap((page) => seenOn(page, read)).slice(0, NUMBERS_MAX),
    ofCompany: new Set(described),
  };
}

/**
 * Finds numbers of a person. A number is theirs when every place where the site shows it is about them, and nothing calls it one that
 * others answer, too: the number of the company is no find.
 * @returns E.164 with the hosts that show them, each number once
 */
export function numbersOfPerson(
  person: PersonName,
  { seen, ofCompany }: SiteNumbers,
): Array<Pick<SeenNumber, 'number' | 'source'>> {
  const places = Map.groupBy(seen, ({ number }) => number);
  return [...places].flatMap(([number, all]) => {
    const isTheirs = all.every(
      ({ near, isRepeated }) => !isRepeated && !SHARED.test(near) && person.isSubjectOf(near),
    );
    return isTheirs && !ofCompany.has(number) ? [{ number, source: all[0]!.source }] : [];
  });
}

function seenOn(page: ReadPage, read: (text: string) => string | null): SeenNumber[] {
  const source = new URL(page.url).hostname;
  const people = thingsOf(page)
    .filter((thing) => isA(thing, /^Person$/))
    .flatMap((thing) => {
      const number = read(wordsAt(thing, 'telephone') ?? '');
      const near = wordsAt(thing, 'name');
      return number === null || near === null ? [] : [{ number, near, source, isRepeated: false }];
    });
  // The reader keeps a number of a page once, with the words of its first place.
  const links = Map.groupBy(
    [...page.html.matchAll(/href\s*=\s*["']?\s*tel:([^"'>]+)/gi)].map(([, text]) => digitsOf(text!)),
    (digits) => digits,
  );
  const shown = page.contacts
    .filter(({ kind }) => kind === 'phone')
    .flatMap(({ value, near }) => {
      const number = read(value);
      const isRepeated = (links.get(digitsOf(value))?.length ?? 0) > 1;
      return number === null ? [] : [{ number, near, source, isRepeated }];
    });
  return [...people, ...shown];
}

function digitsOf(text: string): string {
  return text.replace(/%20/g, '').replace(/\D/g, '');
}

function telephoneOf(thing: unknown): unknown {
  return typeof thing === 'object' && thing !== null ? (thing as { telephone?: unknown }).telephone : null;
}

/** ISO 3166-1 alpha-2: where the company describes itself to be, else the country of the site's domain; null where neither says. */
function countryOf(pages: readonly ReadPage[]): string | null {
  const [home] = pages;
  if (!home) return null;
  for (const thing of ownOrganisations(pages)) {
    const named = countryNamed(wordsAt(thingAt(thing, 'address'), 'addressCountry') ?? '');
    if (named) return named.id;
  }
  const suffix = registrableDomain(new URL(home.url).hostname)?.split('.').at(-1) ?? '';
  if (!/^[a-z]{2}$/.test(suffix) || NO_COUNTRY.has(suffix)) return null;
  return suffix === 'uk' ? 'GB' : suffix.toUpperCase();
}
