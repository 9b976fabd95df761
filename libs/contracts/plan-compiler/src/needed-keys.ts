import type { Entity, RunPlan } from '@quarry/plan';
import { filterKeys } from './compile/directory-filters.js';
import { keysOfInputs } from './services/service-inputs.js';

/** Attributes that exclusion lists match. */
const EXCLUDABLE: Readonly<Record<Entity, readonly string[]>> = {
  company: ['domain', 'linkedin_url'],
  person: ['company_domain', 'company_linkedin_url', 'linkedin_url'],
};

/**
 * Attributes that no filter reads, but that a follow-up may request as columns. Long ones, such as work experience, are not
 * journaled: the follow-up searches them again.
 */
const SHOWABLE: Readonly<Record<Entity, readonly string[]>> = {
  company: ['website', 'description', 'phone'],
  person: ['first_name', 'last_name', 'company_website', 'company_description', 'company_phone'],
};

/** Returns the attributes that filters, criteria and lookups read, whether or not they are columns. */
export function neededKeys(plan: RunPlan): string[] {
  const tests = [...plan.predicates, ...plan.criteria.flatMap(({ test }) => test ?? [])];
  // A later follow-up may use any filter.
  const filterable =
    plan.source.kind === 'directory'
      ? [...filterKeys(plan.entity), ...EXCLUDABLE[plan.entity], ...SHOWABLE[plan.entity]]
      : [];
  const keysOf = (predicate: RunPlan['predicates'][number]): string[] =>
    'parts' in predicate.test ? predicate.test.parts.flatMap(keysOf) : [...predicate.column_keys];
  const inputs = plan.columns.flatMap(({ source }) =>
    source.from === 'service' ? keysOfInputs(source.inputs) : [],
  );
  return [...new Set([...tests.flatMap(keysOf), ...inputs, ...filterable])];
}
