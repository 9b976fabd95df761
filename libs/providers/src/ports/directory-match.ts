import { foldText, foldWords, isIn, type Role } from '../vocabulary/index.js';
import type {
  CompanyFilters,
  CompanyQuery,
  NumberRange,
  PeopleQuery,
  PersonFilters,
} from './directory-filters.js';
import type { CompanyRecord, PersonRecord } from './directory-record.js';

/** @returns whether a number lies in one of the ranges. */
export function isInRanges(value: number, ranges: readonly NumberRange[]): boolean {
  return ranges.some(({ min, max }) => (min === null || value >= min) && (max === null || value <= max));
}

/** @returns whether a company is everything that the query says and nothing that it rules out. */
export function companyMatches(company: CompanyRecord, query: CompanyQuery): boolean {
  return companyHolds(company, query) && !(query.not ?? []).some((filters) => companyHolds(company, filters));
}

/** @returns whether a person, and their company, is everything that the query says and nothing it rules out. */
export function personMatches(person: PersonRecord, query: PeopleQuery): boolean {
  return (
    personHolds(person, query) &&
    !(query.not ?? []).some((filters) => personHolds(person, filters)) &&
    companyMatches(person.company, query.company ?? {})
  );
}

/** @returns whether a person has a role: one of its levels, one of its departments, all words of its title. */
export function hasRole(person: PersonRecord, role: Role): boolean {
  if (role.seniorities.length > 0 && !role.seniorities.includes(person.seniority)) return false;
  if (role.departments.length > 0 && !role.departments.includes(person.department)) return false;
  if (role.titleWords.length === 0) return true;
  const words = foldWords(person.title);
  return role.titleWords.every((word) => words.includes(word));
}

type Wanted = Required<CompanyFilters>;
type CompanyTests = { [K in keyof Wanted]: (company: CompanyRecord, wanted: Wanted[K]) => boolean };

/** One test per attribute, complete by type: a new filter cannot be forgotten here. */
const COMPANY_TESTS: CompanyTests = {
  industries: (company, ids) => ids.includes(company.industry_id),
  places: (company, places) => places.some((place) => isIn(place, company)),
  headcount: (company, ranges) => isInRanges(company.headcount, ranges),
  founded: (company, ranges) => isInRanges(company.founded_year, ranges),
  revenue_usd: (company, ranges) => isInRanges(company.revenue_usd, ranges),
  funding_stages: (company, ids) => company.funding_stage !== null && ids.includes(company.funding_stage),
  business_models: (company, ids) => ids.includes(company.business_model),
  ownerships: (company, ids) => ids.includes(company.ownership),
  technologies: (company, ids) => ids.some((id) => company.technologies.includes(id)),
  all_technologies: (company, ids) => ids.every((id) => company.technologies.includes(id)),
  hiring_departments: (company, ids) => ids.some((id) => company.hiring_departments.includes(id)),
  is_hiring: (company, wanted) => company.is_hiring === wanted,
  names: (company, names) => names.some((name) => foldText(name) === foldText(company.name)),
  domains: (company, domains) => domains.some((domain) => domain.toLowerCase() === company.domain),
};
const COMPANY_TEST_NAMES = Object.keys(COMPANY_TESTS) as Array<keyof CompanyFilters>;

function companyHolds(company: CompanyRecord, filters: CompanyFilters): boolean {
  return COMPANY_TEST_NAMES.every((name) => holds(name, company, filters));
}

function holds<K extends keyof Wanted>(name: K, company: CompanyRecord, filters: Partial<Wanted>): boolean {
  const wanted = filters[name];
  return wanted === undefined || COMPANY_TESTS[name](company, wanted);
}

function personHolds(person: PersonRecord, filters: PersonFilters): boolean {
  const { roles, places, names } = filters;
  return (
    (roles === undefined || roles.some((role) => hasRole(person, role))) &&
    (places === undefined || places.some((place) => isIn(place, person))) &&
    (names === undefined || names.some((name) => foldText(name) === foldText(person.full_name)))
  );
}
