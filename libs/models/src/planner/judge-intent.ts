import { intentFaults } from '@quarry/plan';
import { negationFaults, notUnderstoodFaults, uncovered, type Uncovered } from './checks/coverage.js';
import { itemFaults } from './checks/item-faults.js';
import type { Judged } from './checks/judged.js';
import { originFaults } from './checks/origin-faults.js';
import { overlapFaults } from './checks/overlap-faults.js';
import { disagreements } from './checks/rules-agreement.js';
import { unnamedFaults } from './checks/unnamed-faults.js';
import { valueFaults } from './checks/value-faults.js';
import { webFaults } from './checks/web-faults.js';

/** What the checks have found. */
export interface Judgement {
  /** Sentences, each beginning with its place. An intent with one of them is no plan. */
  readonly faults: readonly string[];
  /** Words that were passed over: asked about once, then named as not understood. */
  readonly uncovered: readonly Uncovered[];
}

/** Judges what a model wrote, all in code and without asking anybody. */
export function judgeIntent(judged: Judged): Judgement {
  const { intent, prompt, output, table, canSource } = judged;
  const basic = intentFaults(intent, { prompt, output, table, canSource });
  if (basic.length > 0) return { faults: basic, uncovered: [] };
  const faults = [
    originFaults,
    notUnderstoodFaults,
    overlapFaults,
    valueFaults,
    itemFaults,
    unnamedFaults,
    disagreements,
    negationFaults,
    webFaults,
  ];
  return { faults: faults.flatMap((check) => check(judged)), uncovered: uncovered(judged) };
}
