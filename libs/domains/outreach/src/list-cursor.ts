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

/** @returns time and id of a `place`; nulls for the beginning of the list */
export function partsOf(place: string | null): [at: string | null, id: string | null] {
  const [at = null, id = null] = place?.split(' ') ?? [];
  return [at, id];
}

/** @returns the `place` of a row */
export const placeOf = ({ place }: { place: string }): string => place;
