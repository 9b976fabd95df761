import type { CellJson } from '@quarry/dto';
import type { RowsBefore, RunPlan } from '@quarry/plan';
import { orderKey } from './follow-up.js';
import { compareValues } from './selection/compare-values.js';
import { meetsFilters } from './selection/filters-honoured.js';
import type { RowValues } from './selection/matches-predicate.js';

/** A row with its current values and cells. */
export interface LiveRow {
  readonly id: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly cells?: Readonly<Record<string, CellJson>>;
}

/** A row as an earlier run has journaled it. */
interface FoundRow {
  readonly id: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/**
 * Selects and sorts the rows that a follow-up keeps.
 * @param found rows as the earlier run has journaled them
 * @param live rows as the table has them now, in its order
 * @returns the rows that are kept, and how many there were before
 */
export function refinedRows<Found extends FoundRow>(
  { entity, sort }: Pick<RunPlan, 'entity' | 'sort'>,
  { checks, filled }: RowsBefore,
  found: readonly Found[],
  live: ReadonlyMap<string, LiveRow>,
): { kept: Found[]; before: number } {
  const known = new Map(found.map((row) => [row.id, row]));
  const rows = [...live.values()].flatMap((row) => {
    const of = known.get(row.id);
    return of ? [{ row, of, values: { ...of.evidence, ...row.values } as RowValues }] : [];
  });
  const kept = rows.filter(
    ({ row, values }) =>
      meetsFilters(values, checks) &&
      filled.every(({ key, is_sure: isSure }) => isFilled(row.cells?.[key], values[key], isSure)),
  );
  if (sort) {
    const key = orderKey(sort.by, entity);
    kept.sort((a, b) => compareValues(a.values[key], b.values[key], sort.direction));
  }
  return { kept: kept.map(({ of }) => of), before: rows.length };
}

function isFilled(cell: CellJson | undefined, value: unknown, isSure: boolean): boolean {
  if (value === null || value === undefined || value === '') return false;
  return cell === undefined ? !isSure : cell.status === 'filled' && (!isSure || cell.confidence === 'high');
}
