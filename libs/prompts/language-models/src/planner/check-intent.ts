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

/**
 * Maximum number of positions of all fragments of an intent in the prompt. Each check compares them; a long, detailed
 * prompt has about 300.
 */
const PLACES_MAX = 1_000;

/** Findings of the checks. */
export interface IntentCheck {
  /** Sentences, each starting with its position. An intent with a fault is not a plan. */
  readonly faults: readonly string[];
  /** Words that the intent ignores: the model is asked about them once, then they are listed as not understood. */
  readonly unmatched: readonly UnmatchedFragment[];
}

/** Checks a model's intent, entirely in code and without external calls. */
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
  // A fragment that does not occur costs a search as well.
  return fragments.some((fragment) => (left -= Math.max(1, spansOf(prompt, fragment).length)) < 0);
}
