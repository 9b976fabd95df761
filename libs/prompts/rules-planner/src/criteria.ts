import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Conditions, ContractTable, IntentCriterion, IntentFilter } from '@quarry/plan';
import type { Draft } from './language/draft.js';
import type { SayIn } from './prompt-origin.js';

/** Number of characters of criteria that are read in one turn of the event loop. */
const TURN_CHARACTERS = 2_000;

/** @returns criteria that remain text, which are unknown for every row */
export function openCriteria(draft: Draft, say: SayIn): IntentCriterion[] {
  return draft.openCriteria.map(({ text, effect }) => ({
    effect,
    column: null,
    conditions: null,
    ...say(text),
  }));
}

/**
 * @param conditionsOf converts the text of a criterion to conditions; null when it cannot be checked
 * @returns the criteria of an output contract's columns
 */
export async function contractCriteria(
  columns: ContractTable['columns'],
  conditionsOf: (criterion: string) => Conditions | null,
): Promise<IntentCriterion[]> {
  const criteria: IntentCriterion[] = [];
  let characters = 0;
  for (const { key, qualification } of columns) {
    if (!('criterion' in qualification)) continue;
    const { criterion, effect } = qualification;
    // A contract has up to 64 kB of them: yields to other tasks in between.
    characters += criterion.length;
    if (characters > TURN_CHARACTERS) {
      await nextTurn();
      characters = criterion.length;
    }
    criteria.push({
      effect,
      column: key,
      conditions: conditionsOf(criterion),
      fragments: [],
      from: 'output',
    });
  }
  return criteria;
}

/** @returns conditions that rows must all meet, or must not all meet at once */
export function allOf(filters: readonly IntentFilter[], isRuledOut: boolean): Conditions {
  return isRuledOut ? { filters: [], exclusions: [filters] } : { filters, exclusions: [] };
}
