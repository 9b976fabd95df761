import type { PlanIntent } from '@quarry/plan';
import { placedItems } from './intent/intent-faults.js';

/**
 * Returns the words of a prompt that are in no filter, column, count or order of its intent: what was named as not understood, and
 * criteria that nothing can check. While there are any, a row may not be what was meant.
 */
export function unreadWords({ source, not_understood: named, criteria }: PlanIntent): string[] {
  // Pages are read for criteria in words.
  const inWords = source.kind === 'web' ? [] : criteria;
  const unchecked = inWords.flatMap(({ column, conditions, from, fragments }) =>
    column === null && conditions === null && from !== 'output' ? fragments : [],
  );
  return [...new Set([...named, ...unchecked])];
}

/** Says whether an intent repeats something of a prompt before it in the conversation. */
export function carriesOn(intent: PlanIntent): boolean {
  return intent.continues || placedItems(intent).some(({ origin }) => origin.from === 'earlier');
}
