import type { DepartmentId, NumberRange, Place, Role } from '@quarry/providers';
import type { Predicate } from '../../selection/predicate.js';

/** One thing that a prompt says about the rows it wants. */
export type Condition =
  | { readonly on: 'industries'; readonly ids: readonly string[]; readonly name: string }
  | { readonly on: 'places'; readonly places: readonly Place[] }
  | { readonly on: 'headcount' | 'founded' | 'revenue_usd'; readonly ranges: readonly NumberRange[] }
  | {
      readonly on: 'funding_stages' | 'business_models' | 'ownerships' | 'technologies';
      readonly ids: readonly string[];
    }
  | { readonly on: 'hiring_departments'; readonly ids: readonly DepartmentId[] }
  | { readonly on: 'is_hiring'; readonly value: boolean }
  | { readonly on: 'roles'; readonly roles: readonly Role[] }
  | { readonly on: 'names'; readonly names: readonly string[] }
  | { readonly on: 'domains'; readonly domains: readonly string[] }
  /** A condition on a column of a named table. */
  | { readonly on: 'column'; readonly predicate: Predicate };
