import type { CellJson } from '@quarry/dto';
import type { RowsBefore, RunPlan } from '@quarry/plan';
import { compareValues, isHonoured, orderKey } from '@quarry/plan-compiler';
import type { RowToEnrich } from './enrich-request.js';

/** A row with its current values and cells. */
export interface LiveRow {
  readonly id: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly cells?: Readonly<Record<string, CellJson>>;
}

/**
 * Selects and sorts the rows that a follow-up keeps.
 * @param found rows as the earlier run has journaled them
 * @param live rows as the table has them now, in its order
 * @returns the rows that are kept, and how many there were before
 */
export function refinedRows(
  { entity, sort }: Pick<RunPlan, 'entity' | 'sort'>,
  { checks, filled }: RowsBefore,
  found: readonly RowToEnrich[],
  live: ReadonlyMap<string, LiveRow>,
): { kept: RowToEnrich[]; before: number } {
  const known = new Map(found.map((row) => [row.id, row]));
  const rows = [...live.values()].flatMap((row) => {
    const of = known.get(row.id);
    return of ? [{ row, of, values: { ...of.evidence, ...row.values } as Record<string, unknown> }] : [];
  });
  const kept = rows.filter(
    ({ row, values }) =>
      checks.every((check) => isHonoured(values, check) === true) &&
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
