import type { Conditions } from '@quarry/plan';
import { readPrompt } from '../read-prompt.js';
import { conditionsOf, fitDraft } from './fit-draft.js';
import type { TableColumn } from './table-schema.js';
import { tableRecognisers } from './table.recogniser.js';

/**
 * Turns the words of a criterion into conditions on a table's columns, with the language that prompts over it are read
 * with.
 * @returns null when any part of the words was not understood or no column can show it: half a check would judge wrongly
 */
export function tableCriterion(
  criterion: string,
  columns: readonly TableColumn[],
  referenceYear: number,
): { readonly conditions: Conditions; readonly notes: readonly string[] } | null {
  const draft = readPrompt(criterion, referenceYear, tableRecognisers(columns));
  const { fitted, unfitted } = fitDraft(draft, columns);
  const lost = [...draft.notUnderstood, ...draft.openCriteria, ...draft.wanted, ...unfitted];
  // A number of rows is no check: the words meant something else by it.
  if (lost.length > 0 || typeof draft.count === 'number' || fitted.length === 0) return null;
  const conditions = conditionsOf(fitted, () => ({ fragments: [], from: 'output' }));
  const notes = [...draft.notes, ...fitted.flatMap(({ note }) => note ?? [])];
  return { conditions, notes };
}
