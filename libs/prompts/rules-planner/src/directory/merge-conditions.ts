import type { CompanyFilters, NumberRange, PersonFilters } from '@quarry/directory';
import { placeContains, type Place } from '@quarry/vocabulary';
import type { Condition } from '../language/condition.js';
import type { Statement } from '../language/draft.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Filters of one query and the assumptions made when merging them. */
export interface Merged {
  readonly companies: CompanyFilters;
  readonly people: PersonFilters;
  readonly notes: readonly string[];
}

/**
 * Merges the statements of one query. Different attributes must all match. Several values of one attribute are
 * alternatives; two bounds narrow each other unless "or" connects them; a place within another one takes precedence.
 */
export function mergeConditions(statements: readonly Statement[]): Merged {
  const companies: Mutable<CompanyFilters> = {};
  const people: Mutable<PersonFilters> = {};
  const notes: string[] = [];
  for (const statement of statements) addStatement(statement, companies, people, notes);
  return { companies, people, notes };
}

function addStatement(
  statement: Statement,
  companies: Mutable<CompanyFilters>,
  people: Mutable<PersonFilters>,
  notes: string[],
): void {
  const { condition, joined, scope, text } = statement;
  if (condition.on === 'column') return;
  if ('ranges' in condition)
    companies[condition.on] = mergeRanges(companies[condition.on], condition.ranges, joined, text, notes);
  else if ('value' in condition) companies[condition.on] = condition.value;
  else if ('roles' in condition) people.roles = unionOf(people.roles, condition.roles);
  else if ('domains' in condition) companies.domains = unionOf(companies.domains, condition.domains);
  else if ('names' in condition) {
    const target = scope === 'company' ? companies : people;
    target.names = unionOf(target.names, condition.names);
  } else if ('places' in condition) {
    const target = scope === 'company' ? companies : people;
    target.places = mergePlaces(target.places, condition.places, joined);
  } else addIds(condition, joined, companies);
}

function addIds(
  condition: Extract<Condition, { ids: readonly string[] }>,
  joined: Statement['joined'],
  companies: Mutable<CompanyFilters>,
): void {
  if (condition.on === 'industries')
    companies.industries = mergeIds(companies.industries, condition.ids, joined);
  else if (condition.on === 'technologies') addTechnologies(companies, condition.ids, joined);
  else if (condition.on === 'hiring_departments')
    companies.hiring_departments = unionOf(companies.hiring_departments, condition.ids);
  else companies[condition.on] = unionOf(companies[condition.on], condition.ids);
}

/** Merges ids. "Healthcare biotech": a member after the word for its group narrows the group. */
function mergeIds(
  known: readonly string[] | undefined,
  ids: readonly string[],
  joined: Statement['joined'],
): readonly string[] {
  const common = joined === null ? (known ?? []).filter((id) => ids.includes(id)) : [];
  return common.length > 0 ? common : unionOf(known, ids);
}

/**
 * @returns the places of both lists; of a place and a larger one that contains it only the smaller, unless "or" connects
 *   them
 */
export function mergePlaces(
  known: readonly Place[] = [],
  added: readonly Place[],
  joined: Statement['joined'],
): readonly Place[] {
  if (joined === 'or') return uniquePlaces([...known, ...added]);
  // "Berlin, Germany" and "European companies in Berlin" mean Berlin.
  const isAddress = (outer: Place): boolean => known.some((inner) => placeContains(outer, inner));
  const news = added.filter((place) => !isAddress(place));
  const kept = known.filter((outer) => !news.some((inner) => placeContains(outer, inner)));
  return uniquePlaces([...kept.map((place) => withinState(place, added)), ...news]);
}

/**
 * Returns a place. "Washington, D.C.": the state of a city shows that the city is meant, and not a state of the same name.
 */
function withinState(place: Place, others: readonly Place[]): Place {
  const isNamed = others.some((outer) => outer.kind === 'state' && placeContains(outer, place));
  return place.kind === 'city' && isNamed ? { ...place, isCityOnly: true } : place;
}

function uniquePlaces(places: readonly Place[]): Place[] {
  return places.filter((place, index) => places.findIndex(({ id }) => id === place.id) === index);
}

function mergeRanges(
  known: readonly NumberRange[] | undefined,
  added: readonly NumberRange[],
  joined: Statement['joined'],
  text: string,
  notes: string[],
): readonly NumberRange[] {
  if (!known) return added;
  const narrowed = joined === 'or' ? [] : known.flatMap((a) => added.flatMap((b) => intersectRanges(a, b)));
  if (narrowed.length > 0) return narrowed;
  if (joined !== 'or')
    notes.push(`“${text}” excludes what was said before it, so both were taken as alternatives.`);
  return [...known, ...added];
}

function intersectRanges(a: NumberRange, b: NumberRange): NumberRange[] {
  const min = a.min === null ? b.min : b.min === null ? a.min : Math.max(a.min, b.min);
  const max = a.max === null ? b.max : b.max === null ? a.max : Math.min(a.max, b.max);
  return min !== null && max !== null && min > max ? [] : [{ min, max }];
}

/** Adds technologies: "React and Python" requires both, "React or Python" either. */
function addTechnologies(
  companies: Mutable<CompanyFilters>,
  ids: readonly string[],
  joined: Statement['joined'],
): void {
  const { technologies, all_technologies } = companies;
  if (joined === 'and' && (technologies?.length === 1 || all_technologies)) {
    companies.all_technologies = unionOf(all_technologies ?? technologies, ids);
    delete companies.technologies;
    return;
  }
  companies.technologies = unionOf(technologies ?? all_technologies, ids);
  delete companies.all_technologies;
}

function unionOf<T>(known: readonly T[] | undefined, added: readonly T[]): readonly T[] {
  return [...new Set([...(known ?? []), ...added])];
}
