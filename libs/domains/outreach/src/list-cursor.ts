import { AppError } from '@quarry/error-codes';
import type { CursorBinding, CursorSigner } from '@quarry/app';

/** One page of a list by cursor. */
export interface PageQuery {
  limit: number;
  cursor: string | null;
}

/** Names that cursors are signed for. Clients keep cursors, so that these stay whatever calls and routes are called. */
export const LISTS = {
  sequences: 'outreach.sequences',
  enrollments: 'outreach.enrollments',
  approvals: 'outreach.approvals',
  suppressions: 'outreach.suppressions',
  threads: 'outreach.threads',
  messages: 'outreach.messages',
} as const;

/** Gives the column `place` of a list in the order of a time and an id. It has microseconds and one space. */
export const PLACE = (time: string, id: string): string =>
  `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || ${id} AS place`;

/** @returns the time and the id that the page begins after; nulls for the first page. @throws AppError invalid_cursor */
export function openCursor(
  cursors: CursorSigner,
  binding: CursorBinding,
  cursor: string | null,
): [at: string | null, id: string | null] {
  if (cursor === null) return [null, null];
  const place = cursors.openCursor(binding, cursor);
  if (place === null) throw new AppError('invalid_cursor', 'The cursor is not one of this list.');
  const [at, id] = place.split(' ');
  return [at!, id!];
}

/** @param rows those of the page, and one more where there are more. @returns the cursor of the next page; null on the last one */
export function signCursor(
  cursors: CursorSigner,
  binding: CursorBinding,
  rows: ReadonlyArray<{ place: string }>,
  limit: number,
): string | null {
  return rows.length > limit ? cursors.signCursor(binding, rows[limit - 1]!.place) : null;
}
