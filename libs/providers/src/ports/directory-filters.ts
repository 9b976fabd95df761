import type { DepartmentId, Place, Role } from '../vocabulary/index.js';

/** Whole numbers from `min` to `max`, both included; null is open. */
export interface NumberRange {
  readonly min: number | null;
  readonly max: number | null;
}

/**
 * What a company must be. Attributes that are given must all hold; within one attribute any of the values is
 * enough. An empty list therefore matches nothing.
 */
export interface CompanyFilters {
  /** Ids of industries. */
  readonly industries?: readonly string[];
  readonly places?: readonly Place[];
  readonly headcount?: readonly NumberRange[];
  /** Year of foundation. */
  readonly founded?: readonly NumberRange[];
  /** Yearly revenue in US dollars. */
  readonly revenue_usd?: readonly NumberRange[];
  readonly funding_stages?: readonly string[];
  readonly business_models?: readonly string[];
  readonly ownerships?: readonly string[];
  readonly technologies?: readonly string[];
  /** Technologies that must all be in use. */
  readonly all_technologies?: readonly string[];
  readonly hiring_departments?: readonly DepartmentId[];
  readonly is_hiring?: boolean;
  /** Whole names, compared without case, accents and punctuation. */
  readonly names?: readonly string[];
  readonly domains?: readonly string[];
}

/** `not`: a company is left out when it is everything that one of these says. */
export interface CompanyQuery extends CompanyFilters {
  readonly not?: readonly CompanyFilters[];
}

/** What a person must be; read like {@link CompanyFilters}. */
export interface PersonFilters {
  readonly roles?: readonly Role[];
  /** Where the person is. */
  readonly places?: readonly Place[];
  /** Whole names of people. */
  readonly names?: readonly string[];
}

export interface PeopleQuery extends PersonFilters {
  readonly company?: CompanyQuery;
  readonly not?: readonly PersonFilters[];
  /** Most people of one company. */
  readonly per_company?: number;
}

export const DIRECTORY_SORT_FIELDS = ['headcount', 'founded_year', 'revenue_usd', 'name'] as const;

/** Order by a company attribute. */
export interface DirectorySort {
  readonly by: (typeof DIRECTORY_SORT_FIELDS)[number];
  readonly direction: 'ascending' | 'descending';
}
