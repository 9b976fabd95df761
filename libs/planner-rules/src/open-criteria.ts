import type { IntentCriterion } from '@quarry/plan';
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
