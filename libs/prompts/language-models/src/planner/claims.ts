import type { IntentFilter, PlanIntent, PromptOrigin } from '@quarry/plan';
import { spansOfAll, type Span } from './words.js';

/** Item of an intent, and the words that it claims. */
export interface Claim {
  /** Path in the intent, such as `exclusions.0.1`. */
  readonly place: string;
  readonly origin: PromptOrigin;
  readonly filter: IntentFilter | null;
  /** Content of the item, without its words: equal for items with the same meaning. */
  readonly meaning: string;
  /** True for exclusions of rows or values. */
  readonly isNegative: boolean;
}

/** @returns all items of an intent, including filters of criteria */
export function claimsOf(intent: PlanIntent): Claim[] {
  const { filters, exclusions, criteria, columns, hidden, count, per_company, order, name } = intent;
  const one = (place: string, item: PromptOrigin | null): Claim[] => (item ? [claimOf(place, item)] : []);
  return [
    ...conditionClaims('', filters, exclusions),
    ...one('count', count),
    ...one('per_company', per_company),
    ...one('order', order),
    ...one('name', name),
    ...columns.map((item, i) => claimOf(`columns.${i}`, item)),
    ...hidden.map((item, i) => claimOf(`hidden.${i}`, item, true)),
    ...criteria.flatMap((item, i) => [
      claimOf(`criteria.${i}`, { ...item, conditions: null } as PromptOrigin),
      ...(item.conditions
        ? conditionClaims(`criteria.${i}.conditions.`, item.conditions.filters, item.conditions.exclusions)
        : []),
    ]),
  ];
}

/** @returns the positions of a claim's fragments in the prompt; empty for words that are not from this prompt */
export function claimedSpans(prompt: string, { origin }: Claim): Span[] {
  return origin.from === 'prompt' ? spansOfAll(prompt, origin.fragments) : [];
}

function conditionClaims(
  at: string,
  filters: readonly IntentFilter[],
  exclusions: ReadonlyArray<readonly IntentFilter[]>,
): Claim[] {
  return [
    ...filters.map((filter, i) => filterClaim(`${at}filters.${i}`, filter, false)),
    ...exclusions.flatMap((group, i) =>
      group.map((filter, j) => filterClaim(`${at}exclusions.${i}.${j}`, filter, true)),
    ),
  ];
}

function filterClaim(place: string, filter: IntentFilter, isExcluded: boolean): Claim {
  const isDenied =
    ('is_not' in filter && filter.is_not === true) || ('op' in filter && filter.op === 'is' && !filter.value);
  return { ...claimOf(place, filter, isExcluded !== isDenied), filter };
}

function claimOf(place: string, origin: PromptOrigin, isNegative = false): Claim {
  const { fragments: _fragments, from: _from, ...meaning } = origin as PromptOrigin & Record<string, unknown>;
  return { place, origin, filter: null, meaning: JSON.stringify([isNegative, meaning]), isNegative };
}
