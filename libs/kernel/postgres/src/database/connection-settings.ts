import pg from 'pg';
import type { ConnectionBudget } from './connection-budget.js';
import type { RoleName } from './roles.js';
import { TransactionFrame, type TransactionLimits } from './transaction-frame.js';

export interface DatabaseOptions {
  url: string;
  applicationName: string;
  /** Role that the user of the URL switches to; the user itself by default. */
  role?: RoleName;
  /** Overrides of the connection budget of a process that does everything. */
  connections?: Partial<ConnectionBudget>;
  /** Timeout for opening a connection, in milliseconds; 4,000 by default. */
  connectMs?: number;
}

/** Time limits of connections, in milliseconds. Reasons: docs/reliability.md, Connections to PostgreSQL. */
export const CONNECT_MS = 4_000;
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 };
/**
 * Limits of pipelined statements, which are short: the server cancels slow ones, and `timeoutMs` covers a lost response.
 * They find rows by key, and prepared ones keep the plan that was made while a table was small.
 */
export const PIPELINED = { statementMs: 4_000, lockMs: 1_000, timeoutMs: 5_000, isByKey: true };
export const LIST = { statementMs: 5_000, lockMs: 1_000, timeoutMs: 6_000, each: 2, waitMs: 2_000 };
/** One minute: no statement may hold a request longer than a held read may take. */
export const POOL = { statementMs: 60_000, lockMs: 5_000, idleMs: 60_000, timeoutMs: 65_000, waitMs: 10_000 };
/**
 * Limits of COPYs: the statement may take as long as an import may upload. `timeoutMs` counts only while no bytes move.
 * A caller that waits for a connection has a transaction open, which may be idle for a minute.
 */
export const COPY = { statementMs: 300_000, lockMs: 5_000, timeoutMs: 65_000, waitMs: 30_000 };
/** A server that does not answer a ping within the timeout is considered unavailable. */
export const PING = { everyMs: 2_000, timeoutMs: 5_000 };
/** Silent connections are ended. If statements still wait on one after this time, it cannot be ended by this process. */
export const STUCK_MS = 15_000;

/** Settings that each kind of connection sends at the start of a transaction. */
export type Frames = Readonly<Record<'pipelined' | 'list' | 'pool' | 'copy', TransactionFrame>>;

/** @param keepsStatements result of {@link keepsStatements} */
export function framesOf({ role }: Pick<DatabaseOptions, 'role'>, keepsStatements: boolean): Frames {
  const frame = (limits: Omit<TransactionLimits, 'role'>): TransactionFrame =>
    new TransactionFrame({ ...limits, ...(role === undefined ? {} : { role }) }, keepsStatements);
  return { pipelined: frame(PIPELINED), list: frame(LIST), pool: frame(POOL), copy: frame(COPY) };
}

/**
 * Returns the startup parameters of a connection: only those that a pooler in transaction mode can keep for its client.
 * Limits and role are sent with each transaction instead.
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

/** @returns the pool of the transactions, which opens its connections on first use */
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
 * Checks whether prepared statements keep their names across transactions. They do without a pooler. A pooler that
 * supports them uses its own names on the server. Any other pooler passes the name through, and the next transaction may
 * run on a server connection that does not know it.
 * @returns whether names are kept
 */
export async function keepsStatements(client: pg.ClientBase): Promise<boolean> {
  await client.query('BEGIN');
  try {
    const { rows } = await client.query<{ pid: number; is_own_name: boolean }>({
      name: PROBE,
      text: `SELECT pg_backend_pid() AS pid, EXISTS (SELECT FROM pg_prepared_statements WHERE name = '${PROBE}') AS is_own_name`,
    });
    const { pid, is_own_name: isOwnName } = rows[0]!;
    // Within the transaction, so that it runs on the server connection that has the name.
    if (isOwnName) await client.query(`DEALLOCATE ${PROBE}`);
    return !isOwnName || pid === processIdOf(client);
  } finally {
    await client.query('ROLLBACK');
  }
}

/** @returns the process id for cancel requests: that of the server, or one that a pooler made up */
export function processIdOf(client: pg.ClientBase): number | null {
  return (client as unknown as { processID: number | null }).processID;
}
