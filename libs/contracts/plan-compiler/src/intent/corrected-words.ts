import { PLAN_INTENT, type PlanIntent } from '@quarry/plan';
import { placedItems } from './intent-faults.js';

/**
 * Removes from `not_understood` what a user has corrected: words that an item contains and the previous intent did not.
 * @param written an intent, or invalid input, which is returned unchanged
 * @param before the intent that was corrected; null when there is none
 */
export function withoutCorrected(written: unknown, before: PlanIntent | null): unknown {
  const read = PLAN_INTENT.safeParse(written);
  if (!read.success || before === null) return written;
  const known = new Set(placedItems(before).map(({ origin }) => JSON.stringify(origin)));
  const named = placedItems(read.data).flatMap(({ origin }) =>
    known.has(JSON.stringify(origin)) ? [] : origin.fragments.map((fragment) => fragment.toLowerCase()),
  );
  const isCorrected = (word: string): boolean =>
    named.some((fragment) => fragment.includes(word.toLowerCase()) || word.toLowerCase().includes(fragment));
  return { ...read.data, not_understood: read.data.not_understood.filter((word) => !isCorrected(word)) };
}
