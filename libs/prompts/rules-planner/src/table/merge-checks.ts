import type { OneColumn } from '@quarry/plan';
import { intentPlaces, placesOf } from '@quarry/plan-compiler';
import { mergePlaces } from '../directory/merge-conditions.js';
import type { Statement } from '../language/draft.js';
import { columnsOf, isMeasure, type Check } from '../language/check.js';
import type { Fitted } from './fit-condition.js';

/** Check with its words. */
export interface MergedCheck {
  readonly check: Check;
  readonly texts: readonly string[];
}

/**
 * Merges checks on the same column: values become alternatives, and so do ranges connected by "or". All other checks remain
 * separate and must all match.
 */
export function mergeChecks(fitted: readonly Fitted[]): MergedCheck[] {
  const merged: MergedCheck[] = [];
  for (const { statement, check } of fitted) {
    const index = merged.findIndex((known) => isMergeable(known.check, check, statement.joined));
    const known = merged[index];
    const joined = known && joinChecks(known.check, check, statement.joined);
    if (!known || !joined) merged.push({ check, texts: [statement.text] });
    else merged[index] = { check: joined, texts: [...known.texts, statement.text] };
  }
  return merged;
}

function isMergeable(known: Check, added: Check, joined: Statement['joined']): boolean {
  if (!('op' in known) || !('op' in added)) return false;
  const isSameColumn = columnsOf(known).join() === columnsOf(added).join() && known.is_not === added.is_not;
  return isSameColumn && known.op === added.op && (!isMeasure(added) || joined === 'or');
}

function joinChecks(a: Check, b: Check, joined: Statement['joined']): OneColumn | null {
  if (!('op' in a) || !('op' in b)) return null;
  if (a.op === 'address' && b.op === 'address')
    return { ...a, value: intentPlaces(mergePlaces(placesOf(a.value), placesOf(b.value), joined)) };
  if ((a.op === 'number' || a.op === 'year') && b.op === a.op)
    return { ...a, value: [...a.value, ...b.value] };
  if (!isOfTexts(a) || !isOfTexts(b)) return null;
  return { ...a, value: [...new Set([...a.value, ...b.value])] };
}

type OfTexts = Extract<OneColumn, { readonly value: readonly string[] }>;

function isOfTexts(check: OneColumn): check is OfTexts {
  return (
    'value' in check && Array.isArray(check.value) && check.value.every((value) => typeof value === 'string')
  );
}
