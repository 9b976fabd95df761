import { AppError } from '@quarry/error-codes';
import type { CursorBinding, CursorSigner } from '@quarry/app';

/** One page of a list with cursors. */
export interface PageQuery {
  limit: number;
  cursor: string | null;
}

/** Names under which cursors are signed. Clients store cursors, so these stay when calls and routes are renamed. */
export const LISTS = {
  sequences: 'outreach.sequences',
  enrollments: 'outreach.enrollments',
  approvals: 'outreach.approvals',
  suppressions: 'outreach.suppressions',
  threads: 'outreach.threads',
  messages: 'outreach.messages',
} as const;

/**
 * Returns SQL of the column `place`, the position in a list ordered by time and id: the time with microseconds, a space, the id.
 */
export const PLACE = (time: string, id: string): string =>
  `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || ${id} AS place`;

/** @returns time and id after which the page begins; nulls for the first page @throws AppError invalid_cursor */
export function openCursor(
  cursors: CursorSigner,
  binding: CursorBinding,
  cursor: string | null,
): [at: string | null, id: string | null] {
  if (cursor === null) return [null, null];
  const place = cursors.openCursor(binding, cursor);
  if (place === null) throw new AppError('invalid_cursor', 'The cursor does not belong to this list.');
  const [at, id] = place.split(' ');
  return [at!, id!];
}

/**
 * @param rows of the page, and one more if there are more
 * @returns the cursor of the next page; null on the last one
 */
export function signCursor(
  cursors: CursorSigner,
  binding: CursorBinding,
  rows: ReadonlyArray<{ place: string }>,
  limit: number,
): string | null {
  return rows.length > limit ? cursors.signCursor(binding, rows[limit - 1]!.place) : null;
}
