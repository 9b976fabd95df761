import type { IntentCriterion, IntentFilter, PromptOrigin } from '@quarry/plan';

/** Creates the origin of an item from its fragments. */
export type SayIn = (...texts: ReadonlyArray<string | undefined>) => PromptOrigin;

/**
 * @param prompt the whole prompt, of which the rules may have read only a part
 * @returns what names the fragments of an item; where its words stand on both sides of what was left out, the whole prompt
 */
export function sayIn(prompt: string): SayIn {
  return (...texts) => {
    const known = texts.filter(
      (text) => text !== undefined && text !== '' && prompt.includes(text),
    ) as string[];
    return { fragments: known.length > 0 ? [...new Set(known)] : [prompt], from: 'prompt' };
  };
}

/** @returns the item with an earlier prompt of the conversation as its origin */
export function asEarlier<Item extends PromptOrigin>(item: Item): Item {
  return { ...item, from: item.from === 'prompt' ? 'earlier' : item.from };
}

/** @returns a criterion with an earlier prompt as its origin, including its conditions */
export function earlierCriterion(criterion: IntentCriterion): IntentCriterion {
  const { conditions } = criterion;
  if (!conditions) return asEarlier(criterion);
  const all = (group: readonly IntentFilter[]): IntentFilter[] => group.map(asEarlier);
  return {
    ...asEarlier(criterion),
    conditions: { filters: all(conditions.filters), exclusions: conditions.exclusions.map(all) },
  };
}
