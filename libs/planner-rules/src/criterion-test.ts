import { allOf, notAll, type Predicate } from '../selection/predicate.js';
import { companyPredicates, personPredicates } from './directory/directory-predicates.js';
import { mergeConditions } from './directory/merge-conditions.js';
import { readPrompt } from './read-prompt.js';
import type { Entity } from './run-plan.js';

/**
 * Turns the words of a criterion into a check, with the language that prompts are read with.
 * @returns null when any part of the words was not understood: half a check would judge wrongly
 */
export function criterionTest(criterion: string, entity: Entity, referenceYear: number): Predicate | null {
  const draft = readPrompt(criterion, referenceYear);
  if (draft.notUnderstood.length > 0 || draft.statements.length === 0) return null;
  const isExcluded = draft.statements.every(({ exclusion }) => exclusion !== null);
  if (!isExcluded && draft.statements.some(({ exclusion }) => exclusion !== null)) return null;
  const { companies, people } = mergeConditions(draft.statements);
  const parts = [
    ...companyPredicates(companies, entity),
    ...(entity === 'person' ? personPredicates(people) : []),
  ];
  return isExcluded && parts.length > 0 ? notAll(parts) : allOf(parts);
}
