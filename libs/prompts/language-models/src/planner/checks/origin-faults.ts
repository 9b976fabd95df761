import { isDeepStrictEqual } from 'node:util';
import type { PlanIntent, PromptOrigin } from '@quarry/plan';
import { claimsOf } from '../claims.js';
import type { CheckedIntent } from './checked-intent.js';

/**
 * Checks the origin of items: a model may only refer to words of this prompt, and to unchanged items of the previous plan.
 * Any other origin would prevent the item from being checked.
 * @returns one sentence for each fault, each starting with its position
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

/** Returns filters one by one, so that one filter may be removed from a group of exclusions. */
function itemsOf(intent: PlanIntent): Array<{ place: string; item: PromptOrigin }> {
  return claimsOf(intent).map(({ place, origin }) => ({ place, item: origin }));
}

function withoutOrigin({ from: _from, ...item }: PromptOrigin): object {
  return item;
}
