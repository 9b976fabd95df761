import type { Conditions } from '@quarry/plan';
import { readPrompt } from '../read-prompt.js';
import { conditionsOf, fitDraft } from './fit-draft.js';
import type { TableColumn } from './table-schema.js';
import { tableRecognisers } from './table.recogniser.js';

/**
 * Converts the text of a criterion to conditions on a table's columns, with the grammar of prompts about it.
 * @returns null when any part of the text was not understood or has no suitable column: an incomplete check would give
 *   wrong verdicts
 */
export function tableCriterion(
  criterion: string,
  columns: readonly TableColumn[],
  referenceYear: number,
): { readonly conditions: Conditions; readonly notes: readonly string[] } | null {
  const draft = readPrompt(criterion, referenceYear, tableRecognisers(columns));
  const { fitted, unfitted } = fitDraft(draft, columns);
  const lost = [...draft.notUnderstood, ...draft.openCriteria, ...draft.wanted, ...unfitted];
  // A number of rows is not a check: it had another meaning in the text.
  if (lost.length > 0 || typeof draft.count === 'number' || fitted.length === 0) return null;
  const conditions = conditionsOf(fitted, () => ({ fragments: [], from: 'output' }));
  const notes = [...draft.notes, ...fitted.flatMap(({ note }) => note ?? [])];
  return { conditions, notes };
}
