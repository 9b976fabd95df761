import type { Conditions, IntentCriterion, PlanColumn, Criterion, Predicate } from '@quarry/plan';
import { allOf } from '../selection/join-predicates.js';

/** Criteria of a plan, and the parts of an output contract that cannot be filled or checked. */
export interface PlanCriteria {
  readonly criteria: readonly Criterion[];
  readonly notUnderstood: readonly string[];
}

/** Kind of columns whose criterion is only text. */
const IN_WORDS = 'prompt';

/**
 * Creates the criteria: those of the prompt, then those of the contract's columns, each with its check from the intent.
 * @param predicatesOf creates the checks of conditions on the source of the plan
 */
export function planCriteria(
  intended: readonly IntentCriterion[],
  columns: readonly PlanColumn[],
  predicatesOf: (conditions: Conditions) => readonly Predicate[],
): PlanCriteria {
  const testOf = (criterion: IntentCriterion | undefined): Predicate | null =>
    criterion?.conditions ? allOf(predicatesOf(criterion.conditions)) : null;
  const ofPrompt = intended
    .filter(({ column }) => column === null)
    .map((criterion): Criterion => {
      const test = testOf(criterion);
      return {
        column_key: test?.column_keys[0] ?? IN_WORDS,
        criterion: test?.text ?? criterion.fragments.join(' '),
        effect: criterion.effect,
        test,
      };
    });
  const ofColumns = columns.flatMap(({ key, qualification }): Criterion[] => {
    if (!('criterion' in qualification) || typeof qualification.criterion !== 'string') return [];
    const { criterion, effect } = qualification;
    const test = testOf(intended.find(({ column }) => column === key));
    return [{ column_key: key, criterion, effect, test }];
  });
  const unfilled = columns.flatMap(({ key, source }) => (source.from === 'nothing' ? `column ${key}` : []));
  const open = ofColumns.filter(({ test }) => test === null).map(({ criterion }) => criterion);
  return { criteria: [...ofPrompt, ...ofColumns], notUnderstood: [...unfilled, ...open] };
}
