import { addressPartsOf, COUNTRIES, countryCodesOf, countryNamed, type Place } from '@quarry/vocabulary';

/** Lower-case names that vendors use for a place. */
export interface PlaceNames {
  countries: string[];
  state: string | null;
  /** All names of the city; empty for a larger place. */
  cities: string[];
}

const aliases = new Map(COUNTRIES.map(({ code, aliases: others }) => [code, others]));

/** @returns names of a place; countries by their full names, a region by its countries */
export function placeNames(place: Place): PlaceNames {
  const countries = countryCodesOf(place).flatMap((code) => {
    const name = countryNamed(code)?.name;
    // "US" and "the states" occur in prompts, not in the data of vendors.
    const others = (aliases.get(code) ?? []).filter((each) => /^[a-z]{4,}( [a-z]{3,})*$/.test(each));
    return name === undefined ? [] : [name.toLowerCase(), ...others];
  });
  return {
    countries: [...new Set(countries)],
    state: place.kind === 'state' ? place.name.toLowerCase() : null,
    cities: place.kind === 'city' ? [...new Set([place.name.toLowerCase(), ...addressPartsOf(place)])] : [],
  };
}
