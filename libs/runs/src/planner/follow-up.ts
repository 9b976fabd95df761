import type { Draft } from './language/draft.js';
import type { RunPlan } from './run-plan.js';

/**
 * Carries a conversation on: what the new prompt says replaces what the last plan said of the same attribute, and
 * everything else stays.
 */
export function continued(previous: RunPlan, next: RunPlan, draft: Draft): RunPlan {
  const restated = new Set(next.predicates.flatMap(({ column_keys }) => column_keys));
  const kept = previous.predicates.filter(({ column_keys }) => !column_keys.some((key) => restated.has(key)));
  const known = new Set(previous.columns.map(({ key }) => key));
  return {
    ...next,
    entity: previous.entity,
    count: draft.count === undefined ? previous.count : next.count,
    companies: withoutNothing({ ...previous.companies, ...next.companies }),
    people: withoutNothing({ ...previous.people, ...next.people }),
    per_company: next.per_company ?? previous.per_company,
    predicates: [...kept, ...next.predicates],
    sort: next.sort ?? previous.sort,
    columns: [...previous.columns, ...next.columns.filter(({ key }) => !known.has(key))],
    criteria: [...previous.criteria, ...next.criteria],
    table: draft.tableName === null ? previous.table : next.table,
    notes: ['The request was read as a change to the one before it.', ...next.notes],
  };
}

function withoutNothing<T extends object>(query: T): T {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as T;
}
