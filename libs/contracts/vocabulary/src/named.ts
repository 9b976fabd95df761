import { CITIES } from './city.catalogue.js';
import { COUNTRIES, OTHER_COUNTRIES } from './country.catalogue.js';
import { foldText, foldWords } from './phrase.js';
import { cityPlace, countryPlace, type Place } from './place.js';
import { ownVocabulary } from './own-vocabulary.js';
import { placeNamed } from './place-index.js';
import type { Role } from './role.catalogue.js';
import { roleAt } from './role-index.js';

const countries = [...COUNTRIES, ...OTHER_COUNTRIES];
const citiesByName = new Map<string, Place[]>();
for (const city of CITIES)
  for (const name of [city.name, ...city.aliases].map(foldText))
    citiesByName.set(name, [...(citiesByName.get(name) ?? []), cityPlace(city)]);

/** @returns the country that the whole text names by name, adjective or ISO 3166-1 code, or null. */
export function countryNamed(text: string): Place | null {
  const code = text.trim().toUpperCase();
  const byCode = countries.find((country) => country.code === code);
  if (byCode) return countryPlace(byCode);
  const place = placeNamed(text);
  return place?.kind === 'country' ? place : null;
}

/** @returns the cities that the whole text names, in any country; empty for none. */
export function citiesNamed(text: string): readonly Place[] {
  const own =
    ownVocabulary()
      ?.placesNamed(text)
      .filter(({ kind }) => kind === 'city') ?? [];
  return [...(citiesByName.get(foldText(text)) ?? []), ...own];
}

/**
 * @returns the role that the whole text names. A text that is not a role of the vocabulary matches titles word by word,
 *   since job titles are free text; null for a text without words
 */
export function roleNamed(text: string): Role | null {
  const words = foldWords(text);
  if (words.length === 0) return null;
  const known = roleAt(words, 0);
  return known?.length === words.length
    ? known.meaning
    : { name: text, seniorities: [], departments: [], titleWords: words };
}
