import { PLAN_INTENT, type PlanIntent } from '@quarry/plan';
import { placedItems } from './intent-faults.js';

/**
 * Takes out of `not_understood` what somebody has corrected: words that an item names which the intent before did not have.
 * @param written an intent, or what somebody takes for one: what is none stays as it is
 * @param before the intent that was corrected; null where there is none
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
  return {
    ...read.data,
    not_understood: read.data.not_understood.filter((word) => !isCorrected(word)),
  };
}
