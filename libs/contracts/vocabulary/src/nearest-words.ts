import { CITIES } from './city.catalogue.js';
import { COUNTRIES, OTHER_COUNTRIES } from './country.catalogue.js';
import { nearestIndustries } from './nearest-industries.js';
import { namesByPhrase, nearestName, type NamesByPhrase } from './nearest-name.js';
import { foldWords } from './phrase.js';
import { DEPARTMENTS, SENIORITIES } from './role.catalogue.js';

const countries = namesByPhrase(
  [...COUNTRIES, ...OTHER_COUNTRIES].map(({ name, aliases }) => [name, [name, ...aliases]]),
);
const cities = namesByPhrase(CITIES.map(({ name, aliases }) => [name, [name, ...aliases]]));
const seniorities = namesByPhrase(SENIORITIES.map(({ id, name }) => [name, [name, id]]));
const departments = namesByPhrase(DEPARTMENTS.map(({ id, name }) => [name, [name, id]]));

/** @returns the country that a text misspells; empty for none */
function nearestCountries(text: string): string[] {
  return nearestIn(countries, text);
}

/** @returns the city of the catalogue that a text misspells; empty for none */
function nearestCities(text: string): string[] {
  return nearestIn(cities, text);
}

/** @returns the level that a text misspells, else all levels: they are few */
function nearestSeniorities(text: string): string[] {
  const near = nearestIn(seniorities, text);
  return near.length > 0 ? near : SENIORITIES.map(({ name }) => name);
}

/** @returns the department that a text misspells; empty for none */
function nearestDepartments(text: string): string[] {
  return nearestIn(departments, text);
}

function nearestIn(names: NamesByPhrase, text: string): string[] {
  const near = nearestName(foldWords(text).join(' '), names);
  return near === null ? [] : [near];
}

/** Suggestions for a text that is not in the vocabulary, by the filter of a search: at most three names, or all levels. */
export const NEAREST_WORDS = {
  industries: nearestIndustries,
  countries: nearestCountries,
  cities: nearestCities,
  seniorities: nearestSeniorities,
  departments: nearestDepartments,
} as const;
