import {
  COMPANY_FILTERS,
  PERSON_FILTERS,
  type CompanyFilters,
  type CompanyQuery,
  type PeopleQuery,
  type PersonFilters,
} from '@quarry/directory';

const FILTER_NAMES: ReadonlySet<string> = new Set(
  [...COMPANY_FILTERS, ...PERSON_FILTERS].map(({ name }) => name),
);

/** @returns names of the filters that are given */
export function namesOf(filters: object): string[] {
  return Object.entries(filters).flatMap(([name, value]) =>
    FILTER_NAMES.has(name) && value !== undefined ? name : [],
  );
}

/** @returns whether a filter of the query has no value at all, so that nothing can match */
export function matchesNothing(query: CompanyQuery | PeopleQuery): boolean {
  const isEmpty = (filters: CompanyFilters | PersonFilters): boolean =>
    Object.entries(filters).some(
      ([name, value]) => FILTER_NAMES.has(name) && Array.isArray(value) && value.length === 0,
    );
  return isEmpty(query) || ('company' in query && query.company !== undefined && isEmpty(query.company));
}
