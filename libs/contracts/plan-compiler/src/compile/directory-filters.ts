import {
  COMPANY_FILTERS,
  PERSON_FILTERS,
  type CompanyFilters,
  type CompanyQuery,
  type Filter,
  type FilterType,
  type FilterValues,
  type PersonFilters,
} from '@quarry/directory';
import {
  FILTER_OPERATORS,
  type DirectoryFilter,
  type IntentPlace,
  type IntentRole,
  type IntentValue,
  type Conditions,
  type IntentFilter,
  type PromptOrigin,
  type Entity,
} from '@quarry/plan';
import { placeNameOf, type Place, type Role } from '@quarry/vocabulary';

/** Queries to the directory. */
export interface DirectoryRequest {
  readonly companies: CompanyQuery;
  readonly people: PersonFilters & { readonly not?: readonly PersonFilters[] };
}

const FILTERS: Readonly<Record<Entity, readonly Filter[]>> = {
  company: COMPANY_FILTERS,
  person: PERSON_FILTERS,
};

/** Conversions of a filter's value between intent and query; the type makes the record complete. */
const FORMS: {
  readonly [Type in FilterType]: {
    readonly toIntent: (value: FilterValues[Type]) => IntentValue<Type>;
    readonly toQuery: (value: IntentValue<Type>) => FilterValues[Type];
  };
} = {
  range: sameValue(),
  industry: sameValue(),
  trait: sameValue(),
  every_trait: sameValue(),
  department: sameValue(),
  flag: sameValue(),
  place: { toIntent: intentPlaces, toQuery: placesOf },
  role: {
    toIntent: (roles) =>
      roles.map(({ titleWords, ...role }): IntentRole => ({ ...role, title_words: titleWords })),
    toQuery: (roles) => roles.map(({ title_words, ...role }): Role => ({ ...role, titleWords: title_words })),
  },
  name: sameValue(),
  domain: sameValue(),
};

/**
 * Returns every attribute that a filter may read in rows of an entity: with them a follow-up is checked without a search.
 */
export function filterKeys(entity: Entity): string[] {
  const keysOf = (filters: readonly Filter[], prefix: string): string[] =>
    filters.flatMap(({ attributes }) => attributes.map(({ key }) => `${prefix}${key}`));
  const keys =
    entity === 'company'
      ? keysOf(COMPANY_FILTERS, '')
      : [...keysOf(COMPANY_FILTERS, 'company_'), ...keysOf(PERSON_FILTERS, '')];
  return [...new Set(keys)];
}

function sameValue<T>(): { readonly toIntent: (value: T) => T; readonly toQuery: (value: T) => T } {
  return { toIntent: (value) => value, toQuery: (value) => value };
}

/** @returns places without the values that follow from their ids */
export function intentPlaces(places: readonly Place[]): IntentPlace[] {
  return places.map(({ kind, id, isCityOnly }) => ({
    kind,
    id,
    ...(isCityOnly ? { is_city_only: true } : {}),
  }));
}

/** @returns places with their names; an id that is not in the vocabulary is used as the name */
export function placesOf(places: readonly IntentPlace[]): Place[] {
  return places.map(({ kind, id, is_city_only }) => ({
    kind,
    id,
    name: placeNameOf({ kind, id }),
    ...(is_city_only ? { isCityOnly: true } : {}),
  }));
}

/** @returns the filters of a query in the form of an intent, in the order of the table of attributes */
export function intentFilters(
  of: Entity,
  wanted: CompanyFilters | PersonFilters,
  originOf: (name: string) => PromptOrigin,
): DirectoryFilter[] {
  const values = wanted as Readonly<Record<string, unknown>>;
  return FILTERS[of].flatMap(({ name, type }) => {
    if (values[name] === undefined) return [];
    const toIntent = FORMS[type].toIntent as (value: unknown) => unknown;
    const { fragments, from } = originOf(name);
    const origin = {
      of,
      filter: name,
      op: FILTER_OPERATORS[type],
      value: toIntent(values[name]),
      fragments,
      from,
    };
    return [origin as DirectoryFilter];
  });
}

/** @returns whether a filter applies to the directory, and not to a column */
export function isOfDirectory(filter: IntentFilter): filter is DirectoryFilter {
  return 'of' in filter;
}

/** @returns the directory queries of conditions; checks on columns are ignored */
export function directoryRequest({ filters, exclusions }: Conditions): DirectoryRequest {
  const stated = filters.filter(isOfDirectory);
  const groups = exclusions.map((group) => group.filter(isOfDirectory));
  const not = (of: Entity) =>
    groups.map((group) => valuesOf(of, group)).filter((values) => Object.keys(values).length > 0);
  const [companyNot, personNot] = [not('company'), not('person')];
  return {
    companies: { ...valuesOf('company', stated), ...(companyNot.length > 0 ? { not: companyNot } : {}) },
    people: { ...valuesOf('person', stated), ...(personNot.length > 0 ? { not: personNot } : {}) },
  };
}

function valuesOf(of: Entity, stated: readonly DirectoryFilter[]): Record<string, unknown> {
  const types = new Map(FILTERS[of].map(({ name, type }) => [name, type]));
  return Object.fromEntries(
    stated.flatMap((one) => {
      const type = types.get(one.filter);
      if (one.of !== of || type === undefined) return [];
      const toQuery = FORMS[type].toQuery as (value: unknown) => unknown;
      return [[one.filter, toQuery(one.value)] as const];
    }),
  );
}
