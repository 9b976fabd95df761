import type { PlanIntent } from '@quarry/plan';
import { placedItems } from './intent/intent-faults.js';

/**
 * Returns the words of a prompt that no filter, column, count or order of its intent uses: words listed as not understood,
 * and criteria that cannot be checked. While there are any, a row may not be what was meant.
 */
export function unreadWords({ source, not_understood: named, criteria }: PlanIntent): string[] {
  // With the web as the source, criteria as text are evaluated from pages.
  const inWords = source.kind === 'web' ? [] : criteria;
  const unchecked = inWords.flatMap(({ column, conditions, from, fragments }) =>
    column === null && conditions === null && from !== 'output' ? fragments : [],
  );
  return [...new Set([...named, ...unchecked])];
}

/** Returns whether an intent repeats an item of a previous prompt of the conversation. */
export function carriesOn(intent: PlanIntent): boolean {
  return intent.continues || placedItems(intent).some(({ origin }) => origin.from === 'earlier');
}
