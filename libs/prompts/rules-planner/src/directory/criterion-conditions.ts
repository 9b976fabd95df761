import type { Conditions, Entity, PromptOrigin } from '@quarry/plan';
import { allOf } from '../criteria.js';
import { readPrompt } from '../read-prompt.js';
import { filtersOf } from './directory-intent.js';

/** The words of a criterion stand in the output contract, not in the prompt. */
const IN_CONTRACT: PromptOrigin = { fragments: [], from: 'output' };

/**
 * Turns the words of a criterion into conditions, with the language that prompts are read with.
 * @returns null when any part of the words was not understood: half a check would judge wrongly
 */
export function criterionConditions(
  criterion: string,
  entity: Entity,
  referenceYear: number,
): Conditions | null {
  const draft = readPrompt(criterion, referenceYear);
  if (draft.notUnderstood.length > 0 || draft.statements.length === 0) return null;
  const isExcluded = draft.statements.every(({ exclusion }) => exclusion !== null);
  if (!isExcluded && draft.statements.some(({ exclusion }) => exclusion !== null)) return null;
  const all = filtersOf(draft.statements, () => IN_CONTRACT);
  const filters =
    entity === 'person' ? all : all.filter((filter) => 'of' in filter && filter.of === 'company');
  if (filters.length === 0) return null;
  return allOf(filters, isExcluded);
}
