import type { CompanyFilters, PersonFilters } from './attributes/attributes.js';

/** Company filters with exclusions. `not`: a company is excluded when it matches everything in one of these. */
export interface CompanyQuery extends CompanyFilters {
  readonly not?: readonly CompanyFilters[];
}

export interface PeopleQuery extends PersonFilters {
  readonly company?: CompanyQuery;
  readonly not?: readonly PersonFilters[];
  /** Maximum number of people per company, the most senior first. */
  readonly per_company?: number;
}
