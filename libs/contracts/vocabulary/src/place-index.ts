import { CITIES } from './city.catalogue.js';
import { COUNTRIES, OTHER_COUNTRIES } from './country.catalogue.js';
import { ownVocabulary } from './own-vocabulary.js';
import { PhraseIndex, type PhraseMatch } from './phrase-index.js';
import {
  cityPlace,
  countryPlace,
  provincePlace,
  regionPlace,
  statePlace,
  UNKNOWN_COUNTRY,
  type Place,
} from './place.js';
import { REGIONS } from './region.catalogue.js';
import { US_STATES } from './us-state.catalogue.js';

/** Place that a phrase names. */
export interface PlaceTerm {
  readonly place: Place;
  /** Places of imported directories with the same name. */
  readonly also?: readonly Place[];
  /** True for "German" or "Dutch": such a word describes the noun after it. */
  readonly isAdjective: boolean;
}

// "us" is also a pronoun and "gb" a unit: these names count only in capitals.
const CAPITALS_ONLY = new Set(['us', 'gb']);

const index = new PhraseIndex<PlaceTerm>();
const places = new Map<string, Place>();
const noun = (place: Place): PlaceTerm => ({ place: knownPlace(place), isAdjective: false });
const adjective = (place: Place): PlaceTerm => ({ place: knownPlace(place), isAdjective: true });

function knownPlace(place: Place): Place {
  const key = keyOf(place);
  if (!places.has(key)) places.set(key, { kind: place.kind, id: place.id, name: place.name });
  return place;
}

function keyOf({ kind, id }: Pick<Place, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

// The order resolves equal names: Singapore is the country, New York and Washington are the cities.
for (const country of [...COUNTRIES, ...OTHER_COUNTRIES]) {
  index.add([country.name, ...country.aliases], noun(countryPlace(country)));
  index.add(country.demonyms, adjective(countryPlace(country)));
}
for (const city of CITIES) {
  index.add([city.name], noun(cityPlace(city)));
  index.add(city.aliases, noun({ ...cityPlace(city), isCityOnly: true }));
}
/** Other names of states and provinces outside the United States. */
const PROVINCE_ALIASES: Readonly<Record<string, string[]>> = {
  Bavaria: ['bayern', 'bavarian'],
  'North Rhine-Westphalia': ['nrw'],
  Scotland: ['scottish'],
  England: ['english'],
  Catalonia: ['catalan', 'cataluña'],
  Quebec: ['québec'],
  Lombardy: ['lombardia'],
};
for (const { countryCode, state } of CITIES)
  if (state !== null && countryCode !== 'US')
    index.add([state, ...(PROVINCE_ALIASES[state] ?? [])], noun(provincePlace(countryCode, state)));
for (const state of US_STATES) index.add([state.name, ...state.aliases], noun(statePlace(state)));
for (const region of REGIONS) {
  const words = [region.name, ...region.aliases];
  index.add(
    words.filter((word) => !/an$|ic$|ern$/.test(word)),
    noun(regionPlace(region)),
  );
  index.add(
    words.filter((word) => /an$|ic$|ern$/.test(word)),
    adjective(regionPlace(region)),
  );
}

const statesByCode = new Map(US_STATES.map((state) => [state.code, state]));

/**
 * Finds the place at a position, from the catalogue or from imported directories.
 * @param words folded words
 * @param raw the same words as written, for the few names that count only in capitals
 */
export function placeAt(
  words: readonly string[],
  raw: readonly string[],
  at: number,
): PhraseMatch<PlaceTerm> | null {
  const known = matchCatalogued(words, raw, at);
  const own = ownVocabulary()?.placesAt(words, raw, at) ?? null;
  if (!own || (known && known.length > own.length)) return known;
  if (!known || known.length < own.length) {
    const [place, ...also] = own.meaning;
    return { length: own.length, meaning: { place: place!, also, isAdjective: false } };
  }
  // A name in the catalogue means the catalogue's place, and places of rows without a country.
  const also = own.meaning.filter(({ id }) => id.startsWith(`${UNKNOWN_COUNTRY}-`));
  return { ...known, meaning: { ...known.meaning, also } };
}

function matchCatalogued(
  words: readonly string[],
  raw: readonly string[],
  at: number,
): PhraseMatch<PlaceTerm> | null {
  const match = index.longestAt(words, at);
  const word = words[at] ?? '';
  if (match?.length === 1 && CAPITALS_ONLY.has(word) && raw[at] !== raw[at]?.toUpperCase()) return null;
  return match;
}

/** @returns the US state with this two-letter code in capitals, or null. */
export function stateByCode(code: string): Place | null {
  const state = statesByCode.get(code);
  return state ? statePlace(state) : null;
}

/** @returns the place that the whole text names ("Berlin", "the UK"), or null. */
export function placeNamed(text: string): Place | null {
  return (index.get(text) ?? index.get(text.replace(/^the /i, '')))?.place ?? null;
}

export function placeOf(place: Pick<Place, 'kind' | 'id'>): Place | null {
  return places.get(keyOf(place)) ?? ownVocabulary()?.placeOf(place) ?? null;
}

/** @returns the name of a place by its id; the id of one from imported directories contains it */
export function placeNameOf(place: Pick<Place, 'kind' | 'id'>): string {
  const isPart = place.kind === 'city' || place.kind === 'state';
  return placeOf(place)?.name ?? (isPart ? place.id.replace(/^[A-Z]{2}-(?=.)/, '') : place.id);
}
