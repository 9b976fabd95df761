import type { CellJson } from '@quarry/dto';
import type { FilledColumn, ServiceCall } from '@quarry/plan-compiler';
import type { EnrichedCell } from './enriched-cell.js';

/** Result of one call for some rows, by column key. */
export interface StepResult {
  columns: Record<string, Partial<Record<CellJson['status'], number>>>;
  /** The balance or a spend cap did not cover every row. */
  isSpent: boolean;
  /** The run's own limit did not cover every row. */
  isLimited?: boolean;
  /** Rows were left over after the last round, although some of the run's own limit may remain. */
  isCutOff?: boolean;
  /** Number of leading rows that this result covers; absent when it covers all of them. */
  done?: number;
}

/** Rounds for a part when the run has a limit. If every second call costs its full price, a thousandth is left after ten. */
export const ROUNDS = 20;

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
  const isSpent = own.some((result) => result.isSpent);
  const isLimited = own.some((result) => result.isLimited);
  const isCutOff = own.some((result) => result.isCutOff);
  const attempted = filled + empty + failed + (isSpent || isLimited || isCutOff ? skipped : 0);
  const parts = [
    `${filled} of ${attempted} found`,
    ...(empty > 0 ? [`${empty} not found`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const spent = isSpent ? ' The balance or a spend cap is used up, so the rest of the column is empty.' : '';
  const limited = isLimited
    ? ' The credit limit of the run is used up, so the rest of the column is empty.'
    : '';
  const cutOff = isCutOff
    ? ` The run stopped after ${ROUNDS} rounds of lookups within its limit; another run fills the rest.`
    : '';
  return `${name}: ${parts.join(', ')}.${spent}${limited}${cutOff}`;
}
