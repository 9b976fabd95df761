import { ofTenant } from '@quarry/postgres';

/** A table whose rows are worked on by one process at a time. */
export interface TurnTable {
  readonly table: string;
  readonly alias: string;
  /** Columns of the lease: token, end, and the time at which the row was last queued. */
  readonly token: string;
  readonly until: string;
  readonly queuedAt: string;
  /** SQL condition of rows that can be worked on; every row when left out. */
  readonly isOpen?: string;
  /** SQL condition of rows that are due. */
  readonly isDue: string;
  /** SQL order of due rows, for when there are more than a sweep takes. */
  readonly orderBy?: string;
}

/** Statements for turns. `$1` is the tenant and `$2` the row, except in the first and the last. */
export interface TurnSql {
  /** `$1` milliseconds after which a row may be queued again, `$2` the most rows; returns `org_id, mode, id, was_leased`. */
  takeDue: string;
  /** `$3` the token, `$4` milliseconds. */
  claim(returning: string, set?: string): string;
  renew(returning: string): string;
  /** `$3` the token, `$4` milliseconds until the row may be queued again. */
  release: string;
  expireAll: string;
}

/** @returns the SQL of a time that is the given number of milliseconds from now */
export const inMs = (ms: string): string => `now() + make_interval(secs => ${ms} / 1000.0)`;

/** @returns the statements that claim, renew and release turns of the rows of a table; all values are parameters */
export function turnSql({
  table,
  alias: a,
  token,
  until,
  queuedAt,
  isOpen = 'true',
  isDue,
  orderBy,
}: TurnTable): TurnSql {
  const isIt = `${ofTenant(a)} AND ${a}.id = $2`;
  // now(), not clock_timestamp(): an index is used only for values that are stable within a statement.
  const isFree = `(${a}.${until} IS NULL OR ${a}.${until} < now())`;
  return {
    takeDue: `
  WITH due AS (
    SELECT ${a}.org_id, ${a}.mode, ${a}.id, ${a}.${until} IS NOT NULL AS was_leased FROM ${table} ${a}
    WHERE ${isOpen} AND ${a}.${queuedAt} < now() - make_interval(secs => $1 / 1000.0) AND ${isFree} AND ${isDue}
    ${orderBy ? `ORDER BY ${orderBy}` : ''} LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE ${table} ${a} SET ${queuedAt} = now(), ${token} = NULL, ${until} = NULL FROM due
  WHERE ${a}.org_id = due.org_id AND ${a}.mode = due.mode AND ${a}.id = due.id
  RETURNING ${a}.org_id, ${a}.mode, ${a}.id, due.was_leased`,
    claim: (returning, set = '') => `
  UPDATE ${table} ${a} SET ${token} = $3, ${until} = ${inMs('$4')}${set}
  WHERE ${isIt} AND ${isOpen} AND ${isFree} RETURNING ${returning}`,
    renew: (returning) => `
  UPDATE ${table} ${a} SET ${until} = ${inMs('$4')} WHERE ${isIt} AND ${a}.${token} = $3 RETURNING ${returning}`,
    release: `
  UPDATE ${table} ${a} SET ${token} = NULL, ${until} = NULL, ${queuedAt} = ${inMs('$4')}
  WHERE ${isIt} AND ${a}.${token} = $3 RETURNING ${a}.id`,
    expireAll: `UPDATE ${table} SET ${token} = NULL, ${until} = NULL, ${queuedAt} = '-infinity'
  WHERE ${token} IS NOT NULL OR ${queuedAt} > '-infinity'`,
  };
}
