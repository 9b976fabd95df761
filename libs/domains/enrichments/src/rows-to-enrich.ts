import type { ColumnJson } from '@quarry/dto';
import { subjectOfRow } from '@quarry/plan-compiler';
import type { RowToEnrich } from '@quarry/runs';

/**
 * @param columns all of the table
 * @param filled those that the service fills: they say nothing of a row, and keep the values that they hold
 * @returns rows with what is known of them
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
