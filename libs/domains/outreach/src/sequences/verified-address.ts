import type { CellJson, ColumnJson } from '@quarry/dto';

interface StoredRow {
  values: Record<string, unknown>;
  cells: Record<string, CellJson>;
}

/** @returns the id of the job that has found the address of a row; null when getEmail has not */
export function findingJobOf({ cells }: StoredRow, emailColumn: string): string | null {
  const source = cells[emailColumn]?.source;
  return source?.service === 'getEmail' ? source.job_id : null;
}

/**
 * Tells whether a service has verified that the address of a row accepts mail: getEmail, which has found it verified, or
 * verifyEmail.
 * @param known.found addresses that getEmail has found verified, by the ids of its jobs
 */
export function isVerifiedAddress(
  row: StoredRow,
  known: { columns: readonly ColumnJson[]; emailColumn: string; found: ReadonlyMap<string, string> },
): boolean {
  const { columns, emailColumn, found } = known;
  const email = addressIn(row, emailColumn);
  if (email === null) return false;
  if (found.get(findingJobOf(row, emailColumn) ?? '')?.toLowerCase() === email) return true;
  // With several addresses it is unknown which one was checked.
  const others = columns.filter(({ key, kind }) => kind === 'email' && key !== emailColumn);
  return (
    others.every(({ key }) => [null, email].includes(addressIn(row, key))) && isFoundValid(row, emailColumn)
  );
}

function addressIn({ values }: StoredRow, key: string): string | null {
  const value = values[key];
  return typeof value === 'string' && value.trim() !== '' ? value.trim().toLowerCase() : null;
}

/** True when verifyEmail has found the address of a row valid, and the address has not changed since. */
function isFoundValid({ values, cells }: StoredRow, emailColumn: string): boolean {
  const since = cells[emailColumn]?.updated_at ?? '';
  return Object.entries(cells).some(
    ([key, { source, updated_at: at }]) =>
      source?.service === 'verifyEmail' && values[key] === 'valid' && at >= since,
  );
}
