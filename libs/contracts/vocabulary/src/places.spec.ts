import { describe, expect, it } from '@jest/globals';
import { CITIES } from './city.catalogue.js';
import { COUNTRIES, OTHER_COUNTRIES } from './country.catalogue.js';
import { citiesNamed, countryNamed, roleNamed } from './named.js';
import { foldText, foldWords } from './phrase.js';
import {
  addressPartsOf,
  cityPlace,
  countryCodesOf,
  countryPlace,
  isIn,
  placeContains,
  provincePlace,
  regionPlace,
  statePlace,
  type Location,
  type Place,
} from './place.js';
import { placeAt, placeNamed, placeOf, stateByCode } from './place-index.js';
import { REGIONS } from './region.catalogue.js';
import { US_STATES } from './us-state.catalogue.js';

const ALL_COUNTRIES = [...COUNTRIES, ...OTHER_COUNTRIES];
const nameOfCountry = new Map(ALL_COUNTRIES.map(({ code, name }) => [code, name]));
const locationOf = ({ name, state, countryCode }: (typeof CITIES)[number]): Location => ({
  city: name,
  state,
  country: nameOfCountry.get(countryCode)!,
});
const PROVINCES = CITIES.flatMap(({ countryCode, state }) =>
  state === null ? [] : [countryCode === 'US' ? placeNamedState(state) : provincePlace(countryCode, state)],
);
const PLACES: Place[] = [
  ...CITIES.map(cityPlace),
  ...US_STATES.map(statePlace),
  ...PROVINCES,
  ...ALL_COUNTRIES.map(countryPlace),
  ...REGIONS.map(regionPlace),
];

function placeNamedState(state: string): Place {
  return statePlace(US_STATES.find(({ name }) => name === state)!);
}

describe('the place catalogue', () => {
  it('names each place once, in countries that exist', () => {
    for (const list of [
      CITIES.map(({ id }) => id),
      ALL_COUNTRIES.map(({ code }) => code),
      REGIONS.map(({ id }) => id),
    ])
      expect(list).toEqual([...new Set(list)]);
    const named = [
      ...CITIES.map(({ countryCode }) => countryCode),
      ...REGIONS.flatMap(({ countryCodes }) => countryCodes),
    ];
    expect(named.filter((code) => !nameOfCountry.has(code))).toEqual([]);
    const states = CITIES.filter(({ countryCode }) => countryCode === 'US').map(({ state }) => state);
    expect(states.filter((state) => !US_STATES.some(({ name }) => name === state))).toEqual([]);
  });

  it('finds each country by name, code and synonyms in any case, but by no lower-case two-letter code in a text', () => {
    for (const country of ALL_COUNTRIES) {
      expect(countryNamed(country.code)).toEqual(countryPlace(country));
      expect(countryNamed(country.code.toLowerCase())).toEqual(countryPlace(country));
      for (const word of [country.name, ...country.aliases, ...country.demonyms])
        expect([word, countryNamed(word.toUpperCase())]).toEqual([word, countryPlace(country)]);
    }
    for (const text of ['', 'Atlantis', 'Berlin', 'Europe', 'XX']) expect(countryNamed(text)).toBeNull();
  });

  it('finds each city by its names, with composed or decomposed accents', () => {
    for (const city of CITIES)
      for (const name of [city.name, ...city.aliases])
        for (const written of [name, name.toUpperCase(), name.normalize('NFD')])
          expect([written, citiesNamed(written)]).toEqual([
            written,
            expect.arrayContaining([cityPlace(city)]),
          ]);
    expect(placeNamed('Mu\u0308nchen')).toMatchObject({ kind: 'city', name: 'Munich' });
    expect(citiesNamed('Atlantis')).toEqual([]);
  });

  it('finds each place again by the kind and id stored in a plan', () => {
    for (const { kind, id, name } of PLACES) expect(placeOf({ kind, id })).toEqual({ kind, id, name });
    expect(placeOf({ kind: 'city', id: 'DE' })).toBeNull();
    expect(placeOf({ kind: 'country', id: 'DE-berlin' })).toBeNull();
  });

  it('reads words that are also pronouns as a country only in capitals', () => {
    const at = (text: string) => placeAt(foldWords(text), text.split(' '), 0)?.meaning.place.id ?? null;
    expect([at('US'), at('us'), at('Us'), at('GB'), at('usa'), at('U.S.')]).toEqual([
      'US',
      null,
      null,
      'GB',
      'US',
      'US',
    ]);
    expect([stateByCode('CA')?.name, stateByCode('ca'), stateByCode('XX')]).toEqual([
      'California',
      null,
      null,
    ]);
  });
});

describe('containment of places', () => {
  it("puts a city into itself, its state, its country and that country's regions, and nothing else", () => {
    for (const city of CITIES) {
      const location = locationOf(city);
      const wanted = (place: Place): boolean => {
        if (place.kind === 'city') return place.name === city.name && place.id.startsWith(city.countryCode);
        if (place.kind === 'state') return place.name === city.state && place.id.startsWith(city.countryCode);
        return place.kind === 'country'
          ? place.id === city.countryCode
          : REGIONS.find(({ id }) => id === place.id)!.countryCodes.includes(city.countryCode);
      };
      for (const place of PLACES)
        if (isIn(place, location) !== wanted(place))
          throw new Error(`${place.kind} ${place.id} and ${city.id}`);
    }
  });

  it('is transitive: what is in an inner place is in the outer one', () => {
    const locations = CITIES.map((city) => ({ city: cityPlace(city), location: locationOf(city) }));
    for (const outer of PLACES)
      for (const inner of PLACES) {
        if (!placeContains(outer, inner)) continue;
        expect(placeContains(inner, outer) && outer.kind !== 'region').toBe(false);
        for (const { location } of locations)
          if (isIn(inner, location) && !isIn(outer, location))
            throw new Error(`${outer.id} contains ${inner.id}, not ${location.city}`);
      }
    for (const { city, location } of locations)
      for (const outer of PLACES)
        if (outer.kind !== 'city' && isIn(outer, location) !== placeContains(outer, city))
          throw new Error(`${outer.id} and ${city.id}`);
    for (const place of PLACES) expect(placeContains(place, place)).toBe(false);
  });

  it('is false if too little is known', () => {
    const berlin = cityPlace(CITIES.find(({ id }) => id === 'DE-berlin')!);
    for (const location of [
      { city: 'Berlin', state: null, country: null },
      { city: null, state: null, country: 'Germany' },
      { city: 'Berlin', state: null, country: 'Atlantis' },
      { city: 'Berlin', state: null, country: 'United States' },
    ])
      expect(isIn(berlin, location)).toBe(false);
    expect(countryCodesOf({ kind: 'region', id: 'nowhere', name: 'Nowhere' })).toEqual([]);
  });

  it('matches a complete part of an address: the place, a US state, a country of a region', () => {
    const has = (name: string, part: string): boolean =>
      addressPartsOf(placeNamed(name)!).includes(foldText(part));
    for (const [name, part] of [
      ['Munich', 'München'],
      ['Germany', 'Deutschland'],
      ['United States', 'Texas'],
      ['Texas', 'TX'],
      ['Bavaria', 'Bavaria'],
      ['DACH', 'Austria'],
      ['North America', 'Ohio'],
    ] as const)
      expect([name, part, has(name, part)]).toEqual([name, part, true]);
    for (const [name, part] of [
      ['Germany', 'Texas'],
      ['Texas', 'CA'],
      ['DACH', 'France'],
      ['Bavaria', 'BY'],
    ] as const)
      expect([name, part, has(name, part)]).toEqual([name, part, false]);
  });
});

describe('a role named in a text', () => {
  it.each([
    ['VP of Sales', ['vp'], 1],
    ['sales directors', ['director'], 1],
    ['Heads of Marketing', ['head'], 1],
    ['marketing team', [], 1],
    ['HR decision makers', ['c_level', 'vp', 'head', 'director'], 1],
    ['CTO', ['c_level'], null],
  ])('%s has the right levels and departments', (text, seniorities, departments) => {
    const role = roleNamed(text)!;
    expect(role.seniorities).toEqual(seniorities);
    if (departments !== null) expect(role.departments).toHaveLength(departments);
  });

  it('that is unknown is searched word by word in titles, and an empty one is no role', () => {
    expect(roleNamed('Chief Happiness Wizard-in-Residence')).toEqual({
      name: 'Chief Happiness Wizard-in-Residence',
      seniorities: [],
      departments: [],
      titleWords: ['chief', 'happiness', 'wizard', 'in', 'residence'],
    });
    for (const text of ['', ' ', '—']) expect(roleNamed(text)).toBeNull();
  });
});
