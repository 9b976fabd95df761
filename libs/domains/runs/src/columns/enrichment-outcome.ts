import type { CellJson } from '@quarry/dto';
import type { FilledColumn, ServiceCall } from '@quarry/plan-compiler';
import type { EnrichedCell } from './enriched-cell.js';
import { SHORTFALLS, type Shortfall } from './credit-shortfall.js';

/** Result of one call for some rows, by column key. */
export interface StepResult extends Partial<Record<Shortfall, boolean>> {
  columns: Record<string, Partial<Record<CellJson['status'], number>>>;
  /** Number of leading rows that this result covers; absent when it covers all of them. */
  done?: number;
}

/** Counts the cells of a column for the result of a step. */
export function countByStatus(cells: readonly EnrichedCell[]): Partial<Record<CellJson['status'], number>> {
  const counts: Partial<Record<CellJson['status'], number>> = {};
  for (const { cell } of cells) counts[cell.status] = (counts[cell.status] ?? 0) + 1;
  return counts;
}

/** Says what the steps of a call have found for one of its columns. */
export function outcomeOf(
  call: ServiceCall,
  { key, name }: FilledColumn,
  results: ReadonlyArray<readonly [string, StepResult]>,
): string {
  const own = results.flatMap(([of, result]) => (of === call.key ? result : []));
  const sum = (status: CellJson['status']): number =>
    own.reduce((total, { columns }) => total + (columns[key]?.[status] ?? 0), 0);
  const [filled, empty, failed, skipped] = [sum('filled'), sum('empty'), sum('failed'), sum('skipped')];
  const reasons = Object.keys(SHORTFALLS) as Shortfall[];
  const shortfalls = reasons.filter((reason) => own.some((result) => result[reason]));
  const attempted = filled + empty + failed + (shortfalls.length > 0 ? skipped : 0);
  const parts = [
    `${filled} of ${attempted} found`,
    ...(empty > 0 ? [`${empty} not found`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const sentences = shortfalls.map((reason) => SHORTFALLS[reason].sentence);
  return [`${name}: ${parts.join(', ')}.`, ...sentences].join(' ');
}
