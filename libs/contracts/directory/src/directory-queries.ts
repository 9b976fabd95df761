import type { CompanyFilters, PersonFilters } from './attributes/attributes.js';

/** `not`: a company is left out when it is everything that one of these says. */
export interface CompanyQuery extends CompanyFilters {
  readonly not?: readonly CompanyFilters[];
}

export interface PeopleQuery extends PersonFilters {
  readonly company?: CompanyQuery;
  readonly not?: readonly PersonFilters[];
  /** Most people of one company, the most senior first. */
  readonly per_company?: number;
}
