import type { CompanyQuery, PeopleQuery } from '@quarry/directory';
import type { RunPlan } from '@quarry/plan';

/** Search of a plan, ready for a directory. */
export type DirectoryQueries =
  | { readonly entity: 'company'; readonly query: CompanyQuery }
  | { readonly entity: 'person'; readonly query: PeopleQuery };

/** @returns the query of a plan whose source is the directory. */
export function directoryQueries(plan: RunPlan): DirectoryQueries {
  if (plan.entity === 'company') return { entity: 'company', query: plan.companies };
  const cap = plan.per_company === null ? {} : { per_company: plan.per_company };
  return { entity: 'person', query: { ...plan.people, company: plan.companies, ...cap } };
}
