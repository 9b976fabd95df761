import {
  COMPANY_FILTERS,
  PERSON_FILTERS,
  type Filter,
  type FilterName,
  type NumberRange,
} from '@quarry/directory';
import type { DepartmentId, Place, Role } from '@quarry/vocabulary';
import type { Check } from './check.js';

/** Condition in a prompt on the requested rows. */
export type Condition =
  | { readonly on: FilterName<'industry'>; readonly ids: readonly string[]; readonly name: string }
  | { readonly on: FilterName<'place'>; readonly places: readonly Place[] }
  | { readonly on: FilterName<'range'>; readonly ranges: readonly NumberRange[] }
  | { readonly on: FilterName<'trait'>; readonly ids: readonly string[] }
  | { readonly on: FilterName<'department'>; readonly ids: readonly DepartmentId[] }
  | { readonly on: FilterName<'flag'>; readonly value: boolean }
  | { readonly on: FilterName<'role'>; readonly roles: readonly Role[] }
  | { readonly on: FilterName<'name'>; readonly names: readonly string[] }
  | { readonly on: FilterName<'domain'>; readonly domains: readonly string[] }
  /** Condition on a column of a named table. */
  | { readonly on: 'column'; readonly check: Check };

const filters = new Map<string, Filter>(
  [...PERSON_FILTERS, ...COMPANY_FILTERS].map((filter) => [filter.name, filter]),
);

/** @returns the directory's filter with that name; null for a condition on a column */
export function filterNamed(name: string): Filter | null {
  return filters.get(name) ?? null;
}
