import { addressPartsOf, COUNTRIES, countryCodesOf, countryNamed, type Place } from '@quarry/vocabulary';

/** A place by the names that address books have for it, in lower case. */
export interface PlaceNames {
  countries: string[];
  state: string | null;
  /** The city by each of its names; empty for a larger place. */
  cities: string[];
}

const aliases = new Map(COUNTRIES.map(({ code, aliases: others }) => [code, others]));

/** @returns names of a place; those of countries as they are written out, a region by its countries */
export function placeNames(place: Place): PlaceNames {
  const countries = countryCodesOf(place).flatMap((code) => {
    const name = countryNamed(code)?.name;
    // "US" and "the states" are words of prompts, not of address books.
    const others = (aliases.get(code) ?? []).filter((each) => /^[a-z]{4,}( [a-z]{3,})*$/.test(each));
    return name === undefined ? [] : [name.toLowerCase(), ...others];
  });
  return {
    countries: [...new Set(countries)],
    state: place.kind === 'state' ? place.name.toLowerCase() : null,
    cities: place.kind === 'city' ? [...new Set([place.name.toLowerCase(), ...addressPartsOf(place)])] : [],
  };
}
