import { directoryPredicates } from './directory/plan-directory.js';
import type { Draft } from './language/draft.js';
import type { RunPlan } from './run-plan.js';

/**
 * Carries a conversation on: what the new prompt says replaces what the last plan said of the same attribute, what it
 * rules out comes on top, and everything else stays.
 */
export function continued(previous: RunPlan, next: RunPlan, draft: Draft): RunPlan {
  const known = new Set(previous.columns.map(({ key }) => key));
  const asked = {
    companies: merged(previous.companies, next.companies),
    people: merged(previous.people, next.people),
  };
  return {
    ...next,
    ...asked,
    entity: previous.entity,
    count: draft.count === undefined ? previous.count : next.count,
    per_company: next.per_company ?? previous.per_company,
    predicates: directoryPredicates(asked, previous.entity),
    sort: next.sort ?? previous.sort,
    columns: [...previous.columns, ...next.columns.filter(({ key }) => !known.has(key))],
    criteria: [...previous.criteria, ...next.criteria],
    table: draft.tableName === null ? previous.table : next.table,
    notes: ['The request was read as a change to the one before it.', ...next.notes],
  };
}

/** "The CEOs of these companies": people at the companies that the last plan describes. */
export function atTheirCompanies(previous: RunPlan, next: RunPlan, text: string): RunPlan {
  const companies = merged(previous.companies, next.companies);
  return {
    ...next,
    companies,
    predicates: directoryPredicates({ companies, people: next.people }, next.entity),
    notes: [`“${text}” was read as all companies that the search before describes.`, ...next.notes],
  };
}

function merged<T extends { readonly not?: readonly unknown[] }>(before: T, now: T): T {
  const not = [...(before.not ?? []), ...(now.not ?? [])];
  const stated = Object.entries(now).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(stated), ...(not.length > 0 ? { not } : {}) };
}
