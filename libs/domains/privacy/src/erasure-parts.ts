import type { ErasurePart } from '@quarry/postgres';

/**
 * The parts of an erasure in the order in which they are performed, and what each part counts. The order is the direction in
 * which things are copied: plans go to monitors and runs, answers go to lines, to rows, to frozen rows and exports, and from tables to destinations and mail.
 * What is copied while the erasure runs is therefore a copy of what is erased already.
 */
export const ERASURE_ORDER = {
  lines: ['lines', 'in_work'],
  plans: ['plans'],
  // Counted with the runs that they begin.
  monitors: [],
  enrichments: ['runs', 'in_work'],
  runs: ['runs', 'steps', 'names', 'in_work'],
  tables: ['rows', 'frozen_rows', 'exports', 'names'],
  go: ['go_runs', 'go_pages', 'in_work'],
  destinations: ['sent_rows'],
  outreach: ['contacts', 'threads'],
  requestAnswers: ['request_answers'],
} as const;

/** Token of the {@link ErasureParts} of a process. */
export const ERASURE_PARTS = Symbol('erasure parts');

type Order = typeof ERASURE_ORDER;
type PartName = keyof Order;

/** The part of every library that keeps people. A missing part, or a part that does not count what it should, does not compile. */
export type ErasureParts = { readonly [Name in PartName]: ErasurePart<Order[Name][number]> };

/** Number of erased things by their kind; `in_work` counts what was about the person and had not ended. */
export type Erased = Record<Order[PartName][number], number>;

/** The counts of an erasure that has found nothing, in the order of the public receipt. */
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

/** Returns the parts in their order. */
export function inOrder(parts: ErasureParts): Array<ErasurePart<string>> {
  return (Object.keys(ERASURE_ORDER) as PartName[]).map((name) => parts[name]);
}

/** Returns `a` with the counts of `b` added. */
export function addErased(a: Erased, b: Partial<Erased>): Erased {
  return Object.fromEntries(
    Object.entries(a).map(([place, count]) => [place, count + (b[place as keyof Erased] ?? 0)]),
  ) as Erased;
}
