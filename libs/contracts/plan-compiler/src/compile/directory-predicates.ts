import {
  COMPANY_FILTERS,
  nameOf,
  PERSON_FILTERS,
  type CompanyFilters,
  type Filter,
  type FilterType,
  type FilterValues,
  type NumberRange,
  type PersonFilters,
} from '@quarry/directory';
import type { Predicate, PredicateTest, Entity, Conditions, IntentFilter } from '@quarry/plan';
import { industryNameOf } from '@quarry/vocabulary';
import { notAll } from '../selection/join-predicates.js';
import { directoryRequest } from './directory-filters.js';

type Parts = Pick<Predicate, 'test' | 'text'>;
type Makers = {
  readonly [Type in FilterType]: (
    wanted: FilterValues[Type],
    filter: Filter,
    keys: readonly string[],
  ) => Parts;
};

/** Factory of the check for each filter type, on the names of `recordValues`; the type makes the record complete. */
const MAKERS: Makers = {
  range: (ranges, { label }) => ({
    test: { op: 'number', ranges },
    text: `${label}: ${rangesInWords(ranges)}`,
  }),
  industry: (ids, { label }) => oneOf(label, ids.map(industryNameOf)),
  trait: (ids, filter) => oneOf(filter.label, namesOf(filter, ids)),
  every_trait: (ids, filter, column_keys) => {
    const names = namesOf(filter, ids);
    const parts = names.map((name) => ({ column_keys, negate: false, ...oneOf(filter.label, [name]) }));
    return { test: { op: 'every', parts }, text: `${filter.label}: ${names.join(' and ')}` };
  },
  department: (ids, filter) => oneOf(filter.label, namesOf(filter, ids)),
  flag: (value, { label }) => ({ test: { op: 'is', value }, text: `${value ? 'is' : 'is not'} ${label}` }),
  place: (places, { label }) => ({ test: { op: 'place', places }, text: labelValues(label, places) }),
  role: (roles, { label }) => ({ test: { op: 'role', roles }, text: labelValues(label, roles) }),
  name: (names, { label }) => oneOf(label, names),
  domain: (domains, { label }) => oneOf(label, domains),
};

/** @returns the checks on a row of an entity that are equivalent to conditions on the directory */
export function directoryPredicates({ filters, exclusions }: Conditions, entity: Entity): Predicate[] {
  const checksOf = (group: readonly IntentFilter[]): Predicate[] => {
    const { companies, people } = directoryRequest({ filters: group, exclusions: [] });
    return [...companyPredicates(companies, entity), ...personPredicates(people)];
  };
  return [...checksOf(filters), ...exclusions.map((group) => notAll(checksOf(group)))];
}

/** @returns one check per filter of a company, on the attributes of a row of the given entity. */
function companyPredicates(filters: CompanyFilters, entity: Entity): Predicate[] {
  return predicatesOf(COMPANY_FILTERS, filters, entity === 'person' ? 'company_' : '');
}

/** @returns one check per filter of a person. */
function personPredicates(filters: PersonFilters): Predicate[] {
  return predicatesOf(PERSON_FILTERS, filters, '');
}

function predicatesOf(
  filters: readonly Filter[],
  wanted: Readonly<Record<string, unknown>>,
  prefix: string,
): Predicate[] {
  return filters.flatMap((filter) => {
    if (wanted[filter.name] === undefined) return [];
    const column_keys = filter.attributes.map(({ key }) => `${prefix}${key}`);
    const make = MAKERS[filter.type] as (value: unknown, filter: Filter, keys: readonly string[]) => Parts;
    return [{ column_keys, negate: false, ...make(wanted[filter.name], filter, column_keys) }];
  });
}

/** @returns a list of ranges in words: "50 to 200", "1001 or more". */
export function rangesInWords(ranges: readonly NumberRange[]): string {
  return ranges.map(({ min, max }) => rangeInWords(min, max)).join(' or ');
}

function rangeInWords(min: number | null, max: number | null): string {
  if (min !== null && max !== null) return min === max ? `${min}` : `${min} to ${max}`;
  if (min !== null) return `${min} or more`;
  return max === null ? 'any' : `${max} or less`;
}

function oneOf(label: string, values: readonly string[]): Parts {
  const test: PredicateTest = { op: 'one_of', values };
  return { test, text: `${label}: ${values.join(' or ')}` };
}

function labelValues(label: string, values: ReadonlyArray<{ readonly name: string }>): string {
  return `${label}: ${values.map(({ name }) => name).join(' or ')}`;
}

function namesOf({ attributes: [first] }: Filter, ids: readonly string[]): string[] {
  const named = first?.named;
  return named ? ids.map((id) => nameOf(named, id)) : [...ids];
}
