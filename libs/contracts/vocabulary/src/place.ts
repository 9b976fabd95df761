import { CITIES, type City } from './city.catalogue.js';
import { COUNTRIES, OTHER_COUNTRIES, type Country } from './country.catalogue.js';
import { foldText } from './phrase.js';
import { REGIONS, type Region } from './region.catalogue.js';
import { US_STATES, type UsState } from './us-state.catalogue.js';

/** Place with its name. Ids: city `DE-berlin`, state `US-MN`, country `DE`, region `dach`. */
export interface Place {
  readonly kind: 'city' | 'state' | 'country' | 'region';
  readonly id: string;
  readonly name: string;
  /** Set for a city when no state with its name can be meant, as in "New York City" and "Washington, D.C.". */
  readonly isCityOnly?: true;
}

/** Country code of a city or state whose rows contain no country. */
export const UNKNOWN_COUNTRY = 'ZZ';

/** Location of a company or person. */
export interface Location {
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
}

const countriesByCode = new Map([...COUNTRIES, ...OTHER_COUNTRIES].map((country) => [country.code, country]));
const countriesByName = new Map([...countriesByCode.values()].map((country) => [country.name, country]));
const citiesById = new Map(CITIES.map((city) => [city.id, city]));
const regionsById = new Map(REGIONS.map((region) => [region.id, region]));
const statesByCode = new Map(US_STATES.map((state) => [state.code, state]));

export const cityPlace = (city: City): Place => ({ kind: 'city', id: city.id, name: city.name });
export const statePlace = (state: UsState): Place => ({
  kind: 'state',
  id: `US-${state.code}`,
  name: state.name,
});
/** Creates a state or province outside the United States. */
export const provincePlace = (countryCode: string, name: string): Place => ({
  kind: 'state',
  id: `${countryCode}-${name}`,
  name,
});
export const countryPlace = (country: Country): Place => ({
  kind: 'country',
  id: country.code,
  name: country.name,
});
export const regionPlace = (region: Region): Place => ({ kind: 'region', id: region.id, name: region.name });

/** @returns the ISO codes of the countries that contain a place or are part of it. */
export function countryCodesOf(place: Place): readonly string[] {
  if (place.kind === 'region') return regionsById.get(place.id)?.countryCodes ?? [];
  if (place.kind === 'country') return [place.id];
  // Ids of states and cities start with the code of their country.
  return [place.id.slice(0, 2)];
}

/** @returns whether `outer` is a different, larger place that contains `inner` completely. */
export function placeContains(outer: Place, inner: Place): boolean {
  if (outer.kind === 'city' || (outer.kind === inner.kind && outer.kind !== 'region')) return false;
  if (outer.kind === 'state')
    return (
      citiesById.get(inner.id)?.state === outer.name && countryCodesOf(outer)[0] === countryCodesOf(inner)[0]
    );
  const within = countryCodesOf(outer);
  return outer.id !== inner.id && countryCodesOf(inner).every((code) => within.includes(code));
}

/** @returns whether a location is in a place; false when the location is not sufficiently known. */
export function isIn(place: Place, location: Location): boolean {
  if (place.id.startsWith(`${UNKNOWN_COUNTRY}-`) && (place.kind === 'city' || place.kind === 'state'))
    return location.country === null && location[place.kind] === place.name;
  const code = location.country === null ? undefined : countriesByName.get(location.country)?.code;
  if (code === undefined || !countryCodesOf(place).includes(code)) return false;
  if (place.kind === 'city') return location.city === place.name;
  return place.kind === 'state' ? location.state === place.name : true;
}

/**
 * Returns the names that show that an address is in a place: for a country its own name or, for the United States, its
 * states; for a region its countries.
 * @returns folded names, each to be compared with a whole comma-separated part of the address
 */
export function addressPartsOf(place: Place): string[] {
  if (place.kind === 'city') return [place.name, ...(citiesById.get(place.id)?.aliases ?? [])].map(foldText);
  if (place.kind === 'state') {
    const state = statesByCode.get(place.id.slice(3));
    return (
      state && place.id.startsWith('US-') ? [state.name, state.code, ...state.aliases] : [place.name]
    ).map(foldText);
  }
  return countryCodesOf(place).flatMap((code) => {
    const country = countriesByCode.get(code);
    const names = country ? [country.name, ...country.aliases] : [];
    return [...names, ...(code === 'US' ? US_STATES.map((state) => state.name) : [])].map(foldText);
  });
}
