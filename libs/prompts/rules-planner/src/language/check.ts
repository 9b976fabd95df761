import type { IntentFilter, OneColumn, PromptOrigin } from '@quarry/plan';

/** Check on one column, or on several, of which all or any must match. */
export type Check =
  OneColumn | { readonly either: readonly OneColumn[] } | { readonly every: readonly OneColumn[] };

/** @returns the keys of the columns that a check reads */
export function columnsOf(check: Check): string[] {
  if ('either' in check) return check.either.map(({ column }) => column);
  return 'every' in check ? check.every.map(({ column }) => column) : [check.column];
}

/** @returns whether the compared values of a check are ordered */
export function isMeasure(check: Check): boolean {
  return 'op' in check && ['number', 'year', 'date'].includes(check.op);
}

/** @returns a check in the form of an intent */
export function filtersOf(check: Check, { fragments, from }: PromptOrigin): IntentFilter[] {
  const parts = 'every' in check ? check.every : [check];
  return parts.map((part) => ({ ...part, fragments, from }));
}
