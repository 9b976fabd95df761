import type { Conditions, Entity, PromptOrigin } from '@quarry/plan';
import { allOf } from '../criteria.js';
import { readPrompt } from '../read-prompt.js';
import { filtersOf } from './directory-intent.js';

/** Origin of conditions whose words are in the output contract, not in the prompt. */
const IN_CONTRACT: PromptOrigin = { fragments: [], from: 'output' };

/**
 * Converts the text of a criterion to conditions, with the same grammar as prompts.
 * @returns null when any part of the text was not understood: an incomplete check would give wrong verdicts
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
