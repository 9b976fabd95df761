import type { ColumnJson } from '@quarry/dto';
import { subjectOfRow } from '@quarry/plan-compiler';
import type { RowToEnrich } from '@quarry/runs';

/**
 * @param columns all columns of the table
 * @param filled columns that the service fills: they are no evidence about a row, and keep their values
 * @returns rows with the evidence about each
 */
export function rowsToEnrich(
  columns: readonly ColumnJson[],
  filled: ReadonlyArray<{ key: string }>,
  rows: ReadonlyArray<{ id: string; values: Record<string, unknown> }>,
): RowToEnrich[] {
  const own = new Set(filled.map(({ key }) => key));
  const known = columns.filter(({ key }) => !own.has(key));
  return rows.map(({ id, values }) => ({
    id,
    subject: subjectOfRow(known, values),
    evidence: values,
    held: Object.fromEntries(filled.map(({ key }) => [key, values[key]])),
  }));
}
