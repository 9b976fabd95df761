import {
  citiesNamed,
  countryNamed,
  departmentNamed,
  type DepartmentId,
  foldText,
  foldWords,
  industriesNamed,
  industryOf,
  type Place,
  placeNamed,
  type SeniorityId,
  seniorityNamed,
  stateByCode,
  traitIds,
  type TraitKind,
  traitAt,
} from '@quarry/vocabulary';
import { ALPHA_3 } from './country-codes.catalogue.js';
import { industryWords, UK_SIC_PREFIXES } from './industry-words.catalogue.js';

const industryIdByWords = new Map(industryWords().map(([words, id]) => [foldText(words), id]));
const UK_SIC = /^(\d{5})\s*-/;

/** Industry: the vocabulary's name if it is known, else the file's own words. */
export interface FoundIndustry {
  readonly id: string | null;
  readonly name: string;
}

/**
 * Finds an industry by the words of the vocabulary, of LinkedIn and of Crunchbase, or by a code of Companies House. If a
 * cell lists several, the first known one counts. A word for several industries ("healthcare") matches none of them.
 */
export function industryIn(text: string): FoundIndustry {
  const sic = UK_SIC.exec(text)?.[1];
  const id = sic === undefined ? industryNamed(text) : sicIndustry(sic);
  return { id, name: (id === null ? null : industryOf(id)?.name) ?? text };
}

function industryNamed(text: string): string | null {
  for (const part of [text, ...text.split(/[,;|]/)]) {
    const folded = foldText(part);
    const named = industriesNamed(folded);
    const id = named.length === 1 ? named[0]! : industryIdByWords.get(folded);
    if (id !== undefined) return id;
  }
  return null;
}

function sicIndustry(code: string): string | null {
  for (let digits = code.length; digits >= 2; digits -= 1) {
    const id = UK_SIC_PREFIXES[code.slice(0, digits)];
    if (id !== undefined) return id;
  }
  return null;
}

/** Place with the vocabulary's names where they are known, else with the file's own words. */
export interface FoundPlace {
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  /** ISO 3166-1 alpha-2; null when the country is not in the vocabulary. */
  readonly countryCode: string | null;
}

/** @param given columns of the file; null when empty. `city` or `location` may contain "City, State, Country" */
export function placeIn(given: {
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly location: string | null;
}): FoundPlace {
  const whole = partsOf(
    given.location ?? (given.city?.includes(',') ? given.city : null),
    given.country !== null,
  );
  const country = countryIn(given.country ?? whole.country);
  const stateText = given.state ?? whole.state ?? country.stateCode;
  const state = stateText === null ? null : stateIn(stateText, country.code);
  const cityText = whole.city ?? given.city;
  const city = cityText === null ? null : cityIn(cityText, country.code);
  return { city, state, country: country.name, countryCode: country.code };
}

/** @param hasCountry true when the country is in another column, so that the last part need not be one */
function partsOf(
  text: string | null,
  hasCountry: boolean,
): { city: string | null; state: string | null; country: string | null } {
  const parts = (text ?? '').split(',').flatMap((part) => part.trim() || []);
  const last = parts.at(-1);
  const isCountry = last !== undefined && countryOf(last) !== null;
  const country = isCountry ? last : null;
  const rest = isCountry ? parts.slice(0, -1) : parts;
  // If an address does not end in a known country, only its first part is certain, and only if the country is known
  // otherwise.
  if (!isCountry && !hasCountry)
    return { city: null, state: null, country: parts.length > 1 ? (last ?? null) : null };
  return { city: rest[0] ?? null, state: rest[1] ?? null, country };
}

function countryIn(text: string | null): {
  name: string | null;
  code: string | null;
  stateCode: string | null;
} {
  if (text === null) return { name: null, code: null, stateCode: null };
  // OpenCorporates: "us_ca", a state of a country.
  const [, jurisdiction, stateCode] = /^([a-z]{2})_([a-z]{2})$/i.exec(text) ?? [];
  const place = countryOf(jurisdiction ?? text);
  return { name: place?.name ?? text, code: place?.id ?? null, stateCode: stateCode?.toUpperCase() ?? null };
}

const HOME_NATIONS = new Set([
  'england',
  'scotland',
  'wales',
  'northern ireland',
  'great britain',
  'england wales',
]);

function countryOf(text: string): Place | null {
  if (HOME_NATIONS.has(foldText(text))) return countryNamed('GB');
  return countryNamed(ALPHA_3.get(text.toUpperCase()) ?? text);
}

function stateIn(text: string, countryCode: string | null): string {
  const folded = foldText(text);
  const byCode = countryCode === 'US' && /^[a-z]{2}$/i.test(text) ? stateByCode(text.toUpperCase()) : null;
  const places = [byCode, placeNamed(folded), placeNamed(`${folded} state`)];
  const state = places.find((place) => place?.kind === 'state' && place.id.startsWith(`${countryCode}-`));
  return state?.name ?? text;
}

function cityIn(text: string, countryCode: string | null): string {
  return citiesNamed(text).find(({ id }) => id.startsWith(`${countryCode}-`))?.name ?? text;
}

/** @returns the id of the trait value that the whole text names; null for none */
export function traitIn(kind: TraitKind, text: string): string | null {
  const plain = text.trim().toLowerCase();
  if (traitIds(kind).includes(plain)) return plain;
  const words = foldWords(text.replaceAll('_', ' '));
  const found = traitAt(kind, words, 0);
  return found?.length === words.length ? found.meaning.id : null;
}

/** @returns the id of the department that the whole text names; null for none */
export function departmentIn(text: string): DepartmentId | null {
  return departmentNamed(text.replaceAll('_', ' '));
}

const LEVEL_WORDS: Readonly<Record<string, SeniorityId>> = {
  owner: 'founder',
  partner: 'founder',
  cxo: 'c_level',
  'c suite': 'c_level',
  training: 'intern',
};

/** @returns the level that a text names, the first known one of several; null for none */
export function seniorityIn(text: string): SeniorityId | null {
  for (const part of text.split(/[,;|]/)) {
    const words = foldText(part.replaceAll('_', ' '));
    const found = seniorityNamed(words) ?? LEVEL_WORDS[words];
    if (found !== undefined && found !== null) return found;
  }
  return null;
}
