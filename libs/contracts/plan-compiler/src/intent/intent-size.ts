import type { PlanIntent } from '@quarry/plan';

/** As much as a long prompt: an intent is read as a whole, and each word of it is looked for in the prompt. */
const CHARACTERS_MAX = 65_536;
/**
 * Each of these is checked on every row that is searched. No prompt that people write comes near; what a planner has read out
 * of a very long one may be sent back.
 */
const COUNTS_MAX = { filters: 100, exclusions: 50, columns: 100, hidden: 200, criteria: 20 } as const;

/**
 * Judges the size of an intent that somebody has written, before anything else reads it.
 * @param own what a planner has written in its place
 * @returns one sentence for each fault, each beginning with its place
 */
export function sizeFaults(written: unknown, own: PlanIntent | null): string[] {
  const ownCharacters = own === null ? 0 : JSON.stringify(own).length;
  if (JSON.stringify(written).length > Math.max(CHARACTERS_MAX, 2 * ownCharacters))
    return [`intent: must have at most ${CHARACTERS_MAX} characters`];
  return Object.entries(COUNTS_MAX).flatMap(([field, most]) => {
    const items = (written as Readonly<Record<string, unknown>> | null)?.[field];
    const ownItems = own?.[field as keyof typeof COUNTS_MAX].length ?? 0;
    return Array.isArray(items) && items.length > Math.max(most, ownItems)
      ? [`${field}: must have at most ${most} entries`]
      : [];
  });
}
