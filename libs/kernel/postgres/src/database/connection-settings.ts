import pg from 'pg';
import type { ConnectionBudget } from './connection-budget.js';
import type { RoleName } from './roles.js';
import { TransactionFrame } from './transaction-frame.js';

export interface DatabaseOptions {
  url: string;
  applicationName: string;
  /** Role that the user of the address works as; the user itself when left out. */
  role?: RoleName;
  /** Connections that differ from those of a process that does everything. */
  connections?: Partial<ConnectionBudget>;
  /** Milliseconds within which a connection must stand; 4,000 when left out. */
  connectMs?: number;
}

/** Time limits of connections, in milliseconds. Why: docs/reliability.md, Connections to PostgreSQL. */
export const CONNECT_MS = 4_000;
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 };
/** A pipelined statement is short; what is not done by then is ended by the server, and what is not answered, here. */
export const PIPELINED = { statementMs: 4_000, lockMs: 1_000, timeoutMs: 5_000 };
export const LIST = {
  statementMs: 5_000,
  lockMs: 1_000,
  timeoutMs: 6_000,
  each: 2,
  waitMs: 2_000,
};
/** A minute: no statement of ours may hold a request longer than a held read may take. */
export const POOL = {
  statementMs: 60_000,
  lockMs: 5_000,
  idleMs: 60_000,
  timeoutMs: 65_000,
  waitMs: 10_000,
};
/**
 * As long as an import may take to arrive; the patience is for bytes, which move while a COPY moves. A waiter for a
 * turn has a transaction open, which may be idle for a minute.
 */
export const COPY = { statementMs: 300_000, lockMs: 5_000, timeoutMs: 65_000, waitMs: 30_000 };
/** A server that does not answer the shortest question for so long has gone away. */
export const PING = { everyMs: 2_000, timeoutMs: 5_000 };
/** A silent connection is ended; one that still keeps its statements waiting after so long cannot be ended from here. */
export const STUCK_MS = 15_000;

/** Settings that each kind of connection sends at the head of a transaction. */
export type Frames = Readonly<Record<'pipelined' | 'list' | 'pool' | 'copy', TransactionFrame>>;

/** @param keepsStatements what {@link keepsStatements} has found */
export function framesOf({ role }: Pick<DatabaseOptions, 'role'>, keepsStatements: boolean): Frames {
  const frame = (limits: { statementMs: number; lockMs: number; idleMs?: number }): TransactionFrame =>
    new TransactionFrame({ ...limits, ...(role === undefined ? {} : { role }) }, keepsStatements);
  return { pipelined: frame(PIPELINED), list: frame(LIST), pool: frame(POOL), copy: frame(COPY) };
}

/**
 * Returns the opening settings of a connection: none that a pooler in transaction mode could not keep for its client.
 * Limits and role go with each transaction instead.
 */
export function connectionOf(options: DatabaseOptions, what: string): pg.ClientConfig {
  const { url, applicationName, connectMs = CONNECT_MS } = options;
  return {
    connectionString: url,
    application_name: `${applicationName}:${what}`,
    connectionTimeoutMillis: connectMs,
    ...KEEP_ALIVE,
  };
}

/** @returns the pool of the transactions; its connections are opened when they are first used */
export function createPool(options: DatabaseOptions, size: number): pg.Pool {
  const { url, applicationName, connectMs = CONNECT_MS } = options;
  return new pg.Pool({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    max: size,
    ...KEEP_ALIVE,
  });
}

const PROBE = 'quarry_probe';

/**
 * @returns whether statements keep their names from one transaction to the next. Without a pooler they do. One that
 *   supports them gives them names of its own at the server; any other hands the name on, and the next transaction may
 *   meet a server connection that has never heard it.
 */
export async function keepsStatements(client: pg.ClientBase): Promise<boolean> {
  await client.query('BEGIN');
  try {
    const { rows } = await client.query<{ pid: number; is_own_name: boolean }>({
      name: PROBE,
      text: `SELECT pg_backend_pid() AS pid, EXISTS (SELECT FROM pg_prepared_statements WHERE name = '${PROBE}') AS is_own_name`,
    });
    const { pid, is_own_name: isOwnName } = rows[0]!;
    // Within the transaction, so that it meets the connection which has the name.
    if (isOwnName) await client.query(`DEALLOCATE ${PROBE}`);
    return !isOwnName || pid === processIdOf(client);
  } finally {
    await client.query('ROLLBACK');
  }
}

/** @returns the process that the connection was told to cancel: the server's own number, or one that a pooler made up */
export function processIdOf(client: pg.ClientBase): number | null {
  return (client as unknown as { processID: number | null }).processID;
}
