import { isDeepStrictEqual } from 'node:util';
import type { PlanIntent, PromptOrigin } from '@quarry/plan';
import { claimsOf } from '../claims.js';
import type { CheckedIntent } from './checked-intent.js';

/**
 * Only words of this prompt, and items of the plan before it as they were, may stand in what a model writes: whatever else it
 * says of an item's origin would keep the item from being checked.
 * @returns one sentence for each fault, each beginning with its place
 */
export function originFaults({ intent, previous }: CheckedIntent): string[] {
  const before = previous ? itemsOf(previous.intent) : [];
  const faults = itemsOf(intent).flatMap(({ place, item }) => {
    if (item.from === 'prompt') return [];
    if (item.from !== 'earlier') return [`${place}.from: must be "prompt" or "earlier"`];
    const isKept = before.some(({ item: known }) =>
      isDeepStrictEqual(withoutOrigin(known), withoutOrigin(item)),
    );
    return isKept ? [] : [`${place}.from: the previous request has no such item`];
  });
  return intent.continues && !previous
    ? [...faults, 'continues: there is no previous request in this conversation']
    : faults;
}

/** Filters one by one, so that a group of exclusions may lose one of them. */
function itemsOf(intent: PlanIntent): Array<{ place: string; item: PromptOrigin }> {
  return claimsOf(intent).map(({ place, origin }) => ({ place, item: origin }));
}

function withoutOrigin({ from: _from, ...item }: PromptOrigin): object {
  return item;
}
