import type { PlanIntent } from '@quarry/plan';

/** Maximum length of an intent in characters, like that of a long prompt: each of its words is searched in the prompt. */
const CHARACTERS_MAX = 65_536;
/**
 * Maximum number of items: each is checked on every row. Prompts of people stay far below; what a planner has read from a
 * very long one may be sent back.
 */
const COUNTS_MAX = { filters: 100, exclusions: 50, columns: 100, hidden: 200, criteria: 20 } as const;

/**
 * Checks the size of an intent from a user, before anything else reads it.
 * @param own intent from a planner that it replaces
 * @returns one sentence for each fault, each starting with its position
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
