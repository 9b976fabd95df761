import { describe, expect, it } from '@jest/globals';
import { NEAREST_WORDS } from './nearest-words.js';
import { SENIORITIES } from './role.catalogue.js';

const {
  cities: nearestCities,
  countries: nearestCountries,
  departments: nearestDepartments,
  seniorities: nearestSeniorities,
} = NEAREST_WORDS;

describe('unknown places and seniorities', () => {
  it.each([
    [nearestCountries, 'Germny', ['Germany']],
    [nearestCountries, 'Frnace', ['France']],
    [nearestCountries, 'Atlantis', []],
    [nearestCountries, 'xx', []],
    [nearestCities, 'Berln', ['Berlin']],
    [nearestCities, 'Londno', ['London']],
    [nearestCities, 'Nowhereville', []],
    [nearestCities, 'a'.repeat(10_000), []],
    [nearestSeniorities, 'Mangaer', ['Manager']],
    [nearestDepartments, 'marketng', ['Marketing']],
    [nearestDepartments, 'alchemy', []],
  ])('get the nearest known names as suggestions: %p %s', (nearest, text, names) => {
    expect(nearest(text)).toEqual(names);
  });

  it('get all seniorities as suggestions if they misspell none', () => {
    expect(nearestSeniorities('galactic')).toEqual(SENIORITIES.map(({ name }) => name));
  });
});
