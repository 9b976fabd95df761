import type { CompanyQuery } from '@quarry/directory';
import { countryCodesOf, type Place } from '@quarry/vocabulary';

/**
 * Maximum number of branches: each costs a tenth of a millisecond to plan. Above it, PostgreSQL runs one search with lists.
 */
const BRANCHES_MAX = 60;

/**
 * Splits a query for several industries and places into disjoint queries for one of each. Each part is then read in order
 * from an index, and the parts are merged as far as the page needs; with lists, PostgreSQL would sort all matches, or scan
 * every company from the largest on.
 * @returns only the query itself when that is not possible
 */
export function branchesOf(query: CompanyQuery): CompanyQuery[] {
  const places = query.places && disjointPlaces(query.places);
  const industries = query.industries && [...new Set(query.industries)];
  const parts = (places?.length ?? 1) * (industries?.length ?? 1);
  if (parts <= 1 || parts > BRANCHES_MAX) return [query];
  const byPlace = places ? places.map((place) => ({ ...query, places: [place] })) : [query];
  return industries
    ? byPlace.flatMap((each) => industries.map((industry) => ({ ...each, industries: [industry] })))
    : byPlace;
}

/** @returns places none of which contains another; undefined when that cannot be determined for all */
function disjointPlaces(places: readonly Place[]): readonly Place[] | undefined {
  if (places.every(({ kind }) => kind === 'city'))
    return [...new Map(places.map((each) => [each.id, each])).values()];
  if (!places.every(({ kind }) => kind === 'country' || kind === 'region')) return undefined;
  const codes = new Set(places.flatMap(countryCodesOf));
  return [...codes].map((code) => ({ kind: 'country', id: code, name: code }));
}
