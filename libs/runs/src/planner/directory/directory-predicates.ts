import {
  departmentName,
  industryOf,
  traitName,
  type CompanyFilters,
  type NumberRange,
  type PersonFilters,
  type TraitKind,
} from '@quarry/providers';
import type { Predicate, PredicateTest } from '../../selection/predicate.js';
import type { Entity } from '../run-plan.js';

type Wanted = Required<CompanyFilters>;
type Parts = Omit<Predicate, 'negate'>;
type Makers = {
  readonly [K in keyof Wanted]: (wanted: Wanted[K], key: (attribute: string) => string) => Parts;
};

/** One check per filter of a company, complete by type, over the names that `recordValues` gives. */
const COMPANY_MAKERS: Makers = {
  industries: (ids, key) =>
    oneOf(
      key('industry'),
      'industry',
      ids.map((id) => industryOf(id)?.name ?? id),
    ),
  places: (places, key) => ({
    column_keys: [key('city'), key('state'), key('country')],
    test: { op: 'place', places },
    text: `place: ${places.map(({ name }) => name).join(' or ')}`,
  }),
  headcount: (ranges, key) => inRanges(key('headcount'), 'headcount', ranges),
  founded: (ranges, key) => inRanges(key('founded_year'), 'founded', ranges),
  revenue_usd: (ranges, key) => inRanges(key('revenue_usd'), 'revenue in US dollars', ranges),
  funding_stages: (ids, key) => oneOf(key('funding_stage'), 'funding stage', traitNames('funding', ids)),
  business_models: (ids, key) =>
    oneOf(key('business_model'), 'business model', traitNames('business_model', ids)),
  ownerships: (ids, key) => oneOf(key('ownership'), 'ownership', traitNames('ownership', ids)),
  technologies: (ids, key) => oneOf(key('technologies'), 'uses', traitNames('technology', ids)),
  all_technologies: (ids, key) => {
    const names = traitNames('technology', ids);
    const parts = names.map((name) => ({ ...oneOf(key('technologies'), 'uses', [name]), negate: false }));
    return {
      column_keys: [key('technologies')],
      test: { op: 'every', parts },
      text: `uses: ${names.join(' and ')}`,
    };
  },
  hiring_departments: (ids, key) => oneOf(key('hiring_departments'), 'hiring in', ids.map(departmentName)),
  is_hiring: (value, key) => ({
    column_keys: [key('is_hiring')],
    test: { op: 'is', value },
    text: value ? 'is hiring' : 'is not hiring',
  }),
  names: (names, key) => oneOf(key('name'), 'company name', names),
  domains: (domains, key) => oneOf(key('domain'), 'domain', domains),
};

/** @returns one check per filter of a company, on the attributes of a row of the given entity. */
export function companyPredicates(filters: CompanyFilters, entity: Entity): Predicate[] {
  const key = (attribute: string): string => (entity === 'person' ? `company_${attribute}` : attribute);
  return (Object.keys(COMPANY_MAKERS) as Array<keyof Wanted>).flatMap((name) => {
    const parts = made(name, filters, key);
    return parts ? [{ ...parts, negate: false }] : [];
  });
}

function made<K extends keyof Wanted>(
  name: K,
  filters: Partial<Wanted>,
  key: (attribute: string) => string,
): Parts | null {
  const wanted = filters[name];
  return wanted === undefined ? null : COMPANY_MAKERS[name](wanted as Wanted[K], key);
}

/** @returns one check per filter of a person. */
export function personPredicates({ roles, places, names }: PersonFilters): Predicate[] {
  const predicates: Predicate[] = [];
  const add = (column_keys: string[], test: PredicateTest, text: string): void => {
    predicates.push({ column_keys, negate: false, test, text });
  };
  if (roles)
    add(
      ['title', 'seniority', 'department'],
      { op: 'role', roles },
      `role: ${roles.map(({ name }) => name).join(' or ')}`,
    );
  if (places)
    add(
      ['city', 'state', 'country'],
      { op: 'place', places },
      `lives in: ${places.map(({ name }) => name).join(' or ')}`,
    );
  if (names) add(['full_name'], { op: 'one_of', values: names }, `name: ${names.join(' or ')}`);
  return predicates;
}

/** @returns the check that a row is not everything that the parts say. */
export function notAll(parts: readonly Predicate[]): Predicate {
  const [first] = parts;
  if (parts.length === 1 && first && !first.negate)
    return { ...first, negate: true, text: `not ${first.text}` };
  return {
    column_keys: parts.flatMap(({ column_keys }) => column_keys),
    negate: true,
    test: { op: 'every', parts },
    text: `not ${parts.map(({ text }) => text).join(' with ')}`,
  };
}

/** @returns a list of ranges in words: "50 to 200", "1,001 or more". */
export function rangesInWords(
  ranges: readonly NumberRange[],
  format = (value: number): string => String(value),
): string {
  return ranges.map(({ min, max }) => rangeInWords(min, max, format)).join(' or ');
}

function rangeInWords(min: number | null, max: number | null, format: (value: number) => string): string {
  if (min !== null && max !== null) return min === max ? format(min) : `${format(min)} to ${format(max)}`;
  if (min !== null) return `${format(min)} or more`;
  return max === null ? 'any' : `${format(max)} or less`;
}

function inRanges(column: string, name: string, ranges: readonly NumberRange[]): Parts {
  return { column_keys: [column], test: { op: 'number', ranges }, text: `${name}: ${rangesInWords(ranges)}` };
}

function oneOf(column: string, name: string, values: readonly string[]): Parts {
  return { column_keys: [column], test: { op: 'one_of', values }, text: `${name}: ${values.join(' or ')}` };
}

function traitNames(kind: TraitKind, ids: readonly string[]): string[] {
  return ids.map((id) => traitName(kind, id));
}
