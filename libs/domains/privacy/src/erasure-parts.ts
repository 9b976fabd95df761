import type { ErasurePart } from '@quarry/postgres';

/**
 * The parts of an erasure in execution order, with the counters of each part. The order follows the direction in which data is
 * copied: from plans to monitors and runs, from answers to jobs, rows, frozen rows and exports, and from tables to destinations
 * and mail. Whatever is copied during the erasure therefore comes from data that is already erased.
 */
export const ERASURE_ORDER = {
  lines: ['lines', 'in_work'],
  plans: ['plans'],
  // Counted together with the runs that monitors start.
  monitors: [],
  enrichments: ['runs', 'in_work'],
  runs: ['runs', 'steps', 'names', 'in_work'],
  tables: ['rows', 'frozen_rows', 'exports', 'names'],
  go: ['go_runs', 'go_pages', 'in_work'],
  destinations: ['sent_rows'],
  outreach: ['contacts', 'threads'],
  requestAnswers: ['request_answers'],
} as const;

/** Injection token of a process's {@link ErasureParts}. */
export const ERASURE_PARTS = Symbol('erasure parts');

type Order = typeof ERASURE_ORDER;
type PartName = keyof Order;

/** One part per library that stores personal data. A missing part, or a part with the wrong counters, does not compile. */
export type ErasureParts = { readonly [Name in PartName]: ErasurePart<Order[Name][number]> };

/** Number of erased things by kind; `in_work` counts unfinished work about the person. */
export type Erased = Record<Order[PartName][number], number>;

/** The counts of an erasure that found nothing, in the order of the public receipt. */
export const NOTHING_ERASED: Erased = {
  rows: 0,
  frozen_rows: 0,
  exports: 0,
  names: 0,
  lines: 0,
  runs: 0,
  plans: 0,
  steps: 0,
  request_answers: 0,
  go_runs: 0,
  go_pages: 0,
  sent_rows: 0,
  contacts: 0,
  threads: 0,
  in_work: 0,
};

/** Returns the parts in execution order. */
export function inOrder(parts: ErasureParts): Array<ErasurePart<string>> {
  return (Object.keys(ERASURE_ORDER) as PartName[]).map((name) => parts[name]);
}

/** Returns `a` with the counts of `b` added. */
export function addErased(a: Erased, b: Partial<Erased>): Erased {
  return Object.fromEntries(
    Object.entries(a).map(([place, count]) => [place, count + (b[place as keyof Erased] ?? 0)]),
  ) as Erased;
}
