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
type Test = (cell: unknown, record: AnyRecord) => boolean;

const isOneOf = (ids: readonly unknown[]): Test => {
  const wanted = new Set(ids);
  return (cell) => listOf(cell).some((id) => wanted.has(id));
};

/**
 * One maker of tests per filter type; the type makes the record complete. An unknown value matches no filter. A search makes
 * the test of its values once, and compares thousands of records with it.
 */
const TESTS: { readonly [Type in FilterType]: (wanted: FilterValues[Type]) => Test } = {
  range: (ranges) => (cell) => typeof cell === 'number' && isInRanges(cell, ranges),
  industry: (ids) => {
    const [isKnown, isOwn] = [isOneOf(ids), isOwnIndustry(ids)];
    return (cell, record) => isKnown(cell, record) || isOwn(cell, record);
  },
  trait: isOneOf,
  every_trait: (ids) => (cell) => ids.every((id) => listOf(cell).includes(id)),
  department: isOneOf,
  flag: (wanted) => (cell) => cell === wanted,
  place: (places) => (_cell, record) => places.some((place) => isIn(place, record)),
  role: (roles) => (_cell, record) => 'title' in record && hasRole(record, roles),
  name: (names) => {
    const wanted = new Set(names.map(nameKeyOf));
    return (cell) => typeof cell === 'string' && wanted.has(nameKeyOf(cell));
  },
  domain: (domains) => isOneOf(domains.map((domain) => domain.toLowerCase())),
};

const companyHolds = holdsAll<CompanyRecord, CompanyFilters>(COMPANY_FILTERS);
const personHolds = holdsAll<PersonRecord, PersonFilters>(PERSON_FILTERS);

function holdsAll<Row extends AnyRecord, Filters extends object>(filters: readonly Filter[]) {
  const tests = filters.map(({ name, type, field, attributes }) => ({
    name,
    field: field ?? attributes[0]?.key ?? '',
    fields: attributes.map(({ key }) => key),
    testOf: keepTests(TESTS[type] as (wanted: unknown) => Test),
  }));
  return (record: Row, wanted: Filters, vouched: ReadonlySet<string>): boolean =>
    tests.every(({ name, field, fields, testOf }) => {
      const value = wanted[name as keyof Filters];
      if (value === undefined || testOf(value)(record[field as keyof Row], record)) return true;
      return vouched.has(name) && fields.every((each) => isUnknown(record[each as keyof Row]));
    });
}

/** Returns a maker that keeps the test of each list of values for as long as the list exists. */
function keepTests(make: (wanted: unknown) => Test): (wanted: unknown) => Test {
  const kept = new WeakMap<object, Test>();
  return (wanted) => {
    if (!Array.isArray(wanted)) return make(wanted);
    let test = kept.get(wanted);
    if (!test) kept.set(wanted, (test = make(wanted)));
    return test;
  };
}

function isUnknown(cell: unknown): boolean {
  return cell === null || (Array.isArray(cell) && cell.length === 0);
}

/** Returns whether a person has, for one of the roles, one of its levels, one of its departments, and all words of its title. */
function hasRole({ seniority, department, title }: PersonRecord, roles: readonly Role[]): boolean {
  let words: readonly string[] | null = null;
  return roles.some(({ seniorities, departments, titleWords }) => {
    if (seniorities.length > 0 && !(seniority && seniorities.includes(seniority))) return false;
    if (departments.length > 0 && !(department && departments.includes(department))) return false;
    if (titleWords.length === 0) return true;
    const own = (words ??= foldWords(title ?? ''));
    return titleWords.every((word) => own.includes(word));
  });
}

/** @returns what two equal names share; names without letters, of which folding leaves nothing, are equal as written */
export function nameKeyOf(name: string): string {
  return foldText(name) || name;
}

/** Compares an industry that is not in the catalogue by its words. */
function isOwnIndustry(ids: readonly string[]): Test {
  const wanted = new Set(ids.flatMap((id) => nameKeyOf(ownWordOf(id) ?? '') || []));
  return (_cell, record) =>
    'industry' in record &&
    record.industry_id === null &&
    record.industry !== null &&
    wanted.has(nameKeyOf(record.industry));
}

function listOf(cell: unknown): readonly unknown[] {
  return Array.isArray(cell) ? cell : [cell];
}
