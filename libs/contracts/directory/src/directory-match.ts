import { foldText, foldWords, ownWordOf, isIn, type Role } from '@quarry/vocabulary';
import type { FilterType, FilterValues, NumberRange } from './attributes/attribute.js';
import {
  COMPANY_FILTERS,
  PERSON_FILTERS,
  type CompanyFilters,
  type Filter,
  type PersonFilters,
} from './attributes/attributes.js';
import type { CompanyQuery, PeopleQuery } from './directory-queries.js';
import type { CompanyRecord, PersonRecord } from './directory-record.js';

/** @returns whether a number lies in one of the ranges. */
export function isInRanges(value: number, ranges: readonly NumberRange[]): boolean {
  return ranges.some(({ min, max }) => (min === null || value >= min) && (max === null || value <= max));
}

/** Filters that a source has applied itself: for these, a missing value of the record counts as a match. */
export interface VouchedFilters {
  readonly own: ReadonlySet<string>;
  /** Filters on a person's company. */
  readonly company: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();
const NOBODY: VouchedFilters = { own: NONE, company: NONE };

/**
 * @param vouched names of filters that the source has applied; known values of the record are still checked
 * @returns whether a company matches all filters of the query and none of its exclusions
 */
export function companyMatches(
  company: CompanyRecord,
  query: CompanyQuery,
  vouched: ReadonlySet<string> = NONE,
): boolean {
  return (
    companyHolds(company, query, vouched) &&
    !(query.not ?? []).some((filters) => companyHolds(company, filters, NONE))
  );
}

/** @returns whether a person, with their company, matches all filters of the query and none of its exclusions. */
export function personMatches(
  person: PersonRecord,
  query: PeopleQuery,
  vouched: VouchedFilters = NOBODY,
): boolean {
  return (
    personHolds(person, query, vouched.own) &&
    !(query.not ?? []).some((filters) => personHolds(person, filters, NONE)) &&
    companyMatches(person.company, query.company ?? {}, vouched.company)
  );
}

type AnyRecord = CompanyRecord | PersonRecord;
/** @param cell value of the record in the field of the filter */
type Test<Wanted> = (cell: unknown, wanted: Wanted, record: AnyRecord) => boolean;

const isOneOf: Test<readonly unknown[]> = (cell, ids) => listOf(cell).some((id) => ids.includes(id));

/** One test per filter type; the type makes the record complete. An unknown value matches no filter. */
const TESTS: { readonly [Type in FilterType]: Test<FilterValues[Type]> } = {
  range: (cell, ranges) => typeof cell === 'number' && isInRanges(cell, ranges),
  industry: (cell, ids, record) => isOneOf(cell, ids, record) || isOwnIndustry(record, ids),
  trait: isOneOf,
  every_trait: (cell, ids) => ids.every((id) => listOf(cell).includes(id)),
  department: isOneOf,
  flag: (cell, wanted) => cell === wanted,
  place: (_cell, places, record) => places.some((place) => isIn(place, record)),
  role: (_cell, roles, record) => roles.some((role) => 'title' in record && hasRole(record, role)),
  name: (cell, names) => typeof cell === 'string' && names.some((name) => isSameName(name, cell)),
  domain: (cell, domains) => domains.some((domain) => domain.toLowerCase() === cell),
};

const companyHolds = holdsAll<CompanyRecord, CompanyFilters>(COMPANY_FILTERS);
const personHolds = holdsAll<PersonRecord, PersonFilters>(PERSON_FILTERS);

function holdsAll<Row extends AnyRecord, Filters extends object>(filters: readonly Filter[]) {
  const tests = filters.map(({ name, type, field, attributes }) => ({
    name,
    field: field ?? attributes[0]?.key ?? '',
    fields: attributes.map(({ key }) => key),
    test: TESTS[type] as Test<unknown>,
  }));
  return (record: Row, wanted: Filters, vouched: ReadonlySet<string>): boolean =>
    tests.every(({ name, field, fields, test }) => {
      const value = wanted[name as keyof Filters];
      if (value === undefined || test(record[field as keyof Row], value, record)) return true;
      return vouched.has(name) && fields.every((each) => isUnknown(record[each as keyof Row]));
    });
}

function isUnknown(cell: unknown): boolean {
  return cell === null || (Array.isArray(cell) && cell.length === 0);
}

/** Returns whether a person has one of the role's levels, one of its departments, and all words of its title. */
function hasRole(person: PersonRecord, role: Role): boolean {
  const { seniority, department, title } = person;
  if (role.seniorities.length > 0 && !(seniority && role.seniorities.includes(seniority))) return false;
  if (role.departments.length > 0 && !(department && role.departments.includes(department))) return false;
  if (role.titleWords.length === 0) return true;
  const words = foldWords(title ?? '');
  return role.titleWords.every((word) => words.includes(word));
}

/** Compares names. Those without letters, of which nothing remains after folding, are compared as written. */
function isSameName(one: string, other: string): boolean {
  const folded = foldText(one);
  return folded === '' ? one === other : folded === foldText(other);
}

/** Compares an industry that is not in the catalogue by its words. */
function isOwnIndustry(record: AnyRecord, ids: readonly string[]): boolean {
  if (!('industry' in record) || record.industry_id !== null || record.industry === null) return false;
  const { industry } = record;
  return ids.some((id) => isSameName(ownWordOf(id) ?? '', industry));
}

function listOf(cell: unknown): readonly unknown[] {
  return Array.isArray(cell) ? cell : [cell];
}
