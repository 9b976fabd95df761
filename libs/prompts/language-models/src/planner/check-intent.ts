import { intentFaults, sizeFaults } from '@quarry/plan-compiler';
import { claimsOf } from './claims.js';
import {
  negationFaults,
  notUnderstoodFaults,
  findUnmatched,
  type UnmatchedFragment,
} from './checks/coverage.js';
import { itemFaults } from './checks/item-faults.js';
import type { CheckedIntent } from './checks/checked-intent.js';
import { originFaults } from './checks/origin-faults.js';
import { overlapFaults } from './checks/overlap-faults.js';
import { findDisagreements } from './checks/rules-agreement.js';
import { unnamedFaults } from './checks/unnamed-faults.js';
import { valueFaults } from './checks/value-faults.js';
import { webFaults } from './checks/web-faults.js';
import { spansOf } from './words.js';

/** Places of the prompt that all fragments of an intent have together. Each check compares them; a long prompt that says much has some 300. */
const PLACES_MAX = 1_000;

/** Findings of the checks. */
export interface IntentCheck {
  /** Sentences, each beginning with its place. An intent with one of them is no plan. */
  readonly faults: readonly string[];
  /** Words that were passed over: asked about once, then named as not understood. */
  readonly unmatched: readonly UnmatchedFragment[];
}

/** Checks what a model wrote, all in code and without asking anybody. */
export function checkIntent(checked: CheckedIntent): IntentCheck {
  const { intent, prompt, output, table, canSource } = checked;
  const large = sizeFaults(intent, null);
  if (large.length > 0) return { faults: large, unmatched: [] };
  if (hasTooManyPlaces(checked))
    return { faults: ['fragments: they stand in too many places of the prompt'], unmatched: [] };
  const basic = intentFaults(intent, { prompt, output, table, canSource });
  if (basic.length > 0) return { faults: basic, unmatched: [] };
  const faults = [
    originFaults,
    notUnderstoodFaults,
    overlapFaults,
    valueFaults,
    itemFaults,
    unnamedFaults,
    findDisagreements,
    negationFaults,
    webFaults,
  ];
  return { faults: faults.flatMap((check) => check(checked)), unmatched: findUnmatched(checked) };
}

function hasTooManyPlaces({ intent, prompt }: CheckedIntent): boolean {
  let left = PLACES_MAX;
  const fragments = [...claimsOf(intent).flatMap(({ origin }) => origin.fragments), ...intent.not_understood];
  // One that stands nowhere is looked for all the same.
  return fragments.some((fragment) => (left -= Math.max(1, spansOf(prompt, fragment).length)) < 0);
}
