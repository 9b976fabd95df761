import type { Conditions, ContractTable, IntentCriterion, IntentFilter } from '@quarry/plan';
import type { Draft } from './language/draft.js';
import type { SayIn } from './said.js';

/** @returns criteria that stayed words, by which every row is unknown */
export function openCriteria(draft: Draft, say: SayIn): IntentCriterion[] {
  return draft.openCriteria.map(({ text, effect }) => ({
    effect,
    column: null,
    conditions: null,
    ...say(text),
  }));
}

/**
 * @param conditionsOf what reads the words of a criterion; null for what cannot be checked
 * @returns what the columns of an output contract judge rows by
 */
export function contractCriteria(
  columns: ContractTable['columns'],
  conditionsOf: (criterion: string) => Conditions | null,
): IntentCriterion[] {
  return columns.flatMap(({ key, qualification }): IntentCriterion[] => {
    if (!('criterion' in qualification)) return [];
    const { criterion, effect } = qualification;
    return [{ effect, column: key, conditions: conditionsOf(criterion), fragments: [], from: 'output' }];
  });
}

/** @returns conditions that rows must all meet, or must not all meet at once */
export function allOf(filters: readonly IntentFilter[], isRuledOut: boolean): Conditions {
  return isRuledOut ? { filters: [], exclusions: [filters] } : { filters, exclusions: [] };
}
