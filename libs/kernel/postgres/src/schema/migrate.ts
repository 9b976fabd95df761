import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'typeorm';
import { applyAccessRules } from './access-rules.js';
import { applyFunctions, missingFunctions } from '../functions/apply-functions.js';
import { MIGRATION_NAMES, MIGRATIONS } from '../migrations/index.js';
import { ensureRoles } from '../database/roles.js';
import { sqlState } from '../database/sql-state.js';

const POLL_MS = 100;
const CONNECT_MS = 15_000;
/**
 * Whoever waits for a table's lock keeps out all who come after, so a migration waits for two seconds, lets the others
 * pass for one, and tries again, for two minutes. Source: requests wait for storage for 4 s (docs/reliability.md).
 */
const LOCK_MS = 2_000;
const LOCK_PAUSE_MS = 1_000;
const LOCK_TIMEOUT_MS = 120_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** Pending migrations of a database, and the rights to apply them. */
export interface SchemaState {
  /** Migrations of this version that have not been applied, oldest first; then functions that were never made. */
  pending: string[];
  /** True where the connecting user may change the schema. */
  mayMigrate: boolean;
}

export interface MigrateOptions {
  /** Milliseconds that a table locked by somebody else is tried again. */
  lockTimeoutMs?: number;
}

/**
 * Makes the roles, applies all pending migrations, makes the functions anew whose text has changed and says what each
 * role may do. Nothing else changes the schema.
 * Several processes may call it at once: one works, the others wait for it. Nothing of it needs a session, so that it
 * works through a pooler in transaction mode, too.
 * @param url address of the database for its owner
 * @returns the names of the migrations that were applied
 * @throws RolesMissingError; the driver's error, 55P03 when a table stayed locked for two minutes
 */
export async function migrate(
  url: string,
  { lockTimeoutMs = LOCK_TIMEOUT_MS }: MigrateOptions = {},
): Promise<string[]> {
  return withClient(url, (lock) =>
    withMigrationLock(lock, () =>
      withClient(url, async (client) => {
        await ensureRoles(client);
        const pending = await pendingMigrations(client);
        if (pending.length > 0) await retryWhileLocked(lockTimeoutMs, () => applyMigrations(url));
        await retryWhileLocked(lockTimeoutMs, () => applyFunctionsAndRules(client));
        return pending;
      }),
    ),
  );
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * One migrating process at a time. The lock is that of a transaction, which stands open beside the work and does nothing
 * else. An index that is built beside writers waits for every transaction that had a snapshot when it looked, until that
 * transaction ends. So nobody waits for the lock within a statement, and each try is a transaction of its own: one that
 * stayed open over all tries would be waited for by the index, and wait for it.
 */
async function withMigrationLock<T>(lock: pg.Client, work: () => Promise<T>): Promise<T> {
  while (!(await takesLock(lock))) {
    await lock.query('ROLLBACK');
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    // The lock is lost with its connection.
    await lock.query('ROLLBACK').catch(() => undefined);
  }
}

/** Begins a transaction that holds the lock when the answer is yes. */
async function takesLock(lock: pg.Client): Promise<boolean> {
  await lock.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
  // 0x51554152 spells QUAR.
  const { rows } = await lock.query<{ taken: boolean }>(
    'SELECT pg_try_advisory_xact_lock(1364541778) AS taken',
  );
  return rows[0]!.taken;
}

/** @returns how the migrations of a database stand; for any role that may log in */
export async function schemaStateOf(client: pg.ClientBase): Promise<SchemaState> {
  const { rows } = await client.query<{ mayMigrate: boolean }>(
    `SELECT has_database_privilege(current_database(), 'CREATE') AS "mayMigrate"`,
  );
  const pending = [...(await pendingMigrations(client)), ...(await missingFunctions(client))];
  return { pending, mayMigrate: rows[0]!.mayMigrate };
}

async function pendingMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rowCount: isThere } = await client.query(
    "SELECT 1 WHERE has_table_privilege(to_regclass('quarry_migrations'), 'SELECT')",
  );
  if (!isThere) return [...MIGRATION_NAMES];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM quarry_migrations');
  const applied = new Set(rows.map(({ name }) => name));
  return MIGRATION_NAMES.filter((name) => !applied.has(name));
}

/**
 * Brings an empty database to the version of a backup: the roles and the first migrations, without the rights, which
 * {@link migrate} gives when the rows are there.
 * @param count how many migrations, oldest first
 */
export async function migrateUpTo(url: string, count: number): Promise<void> {
  await withClient(url, ensureRoles);
  await applyMigrations(url, count);
}

async function applyMigrations(url: string, count = MIGRATIONS.length): Promise<void> {
  // Only here, and only when there is something to apply: it is as large as everything else that a process starts with.
  const { DataSource } = await import('typeorm');
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    applicationName: 'migrate',
    poolSize: 1,
    migrations: MIGRATIONS.slice(0, count),
    migrationsTableName: 'quarry_migrations',
    // A failure is reported by its error. TypeORM would print it to standard output, which belongs to the command.
    logger: SILENT,
    extra: { connectionTimeoutMillis: CONNECT_MS },
  });
  await dataSource.initialize();
  // No time limit for a statement: an index of a large table takes as long as it takes. One that is built outside of a
  // transaction keeps no writer out while it waits, so that it needs no limit for locks either; and that would also end its
  // wait for transactions which are older than it, and throw away what had been built.
  dataSource.subscribers.push({
    afterTransactionStart: ({ queryRunner }) => queryRunner.query(`SET LOCAL lock_timeout = ${LOCK_MS}`),
  });
  try {
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await dataSource.destroy();
  }
}

const silent = (): void => undefined;
const SILENT: Logger = {
  logQuery: silent,
  logQueryError: silent,
  logQuerySlow: silent,
  logSchemaBuild: silent,
  logMigration: silent,
  log: silent,
};

/** One transaction, so that nobody meets a function whose search path is still open. */
async function applyFunctionsAndRules(client: pg.Client): Promise<void> {
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_MS}`);
  try {
    await applyFunctions(client);
    await applyAccessRules(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** Runs it again when a table was locked; what had been applied before stays applied. */
async function retryWhileLocked(timeoutMs: number, work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE || performance.now() > deadline) throw error;
    }
    await delay(LOCK_PAUSE_MS);
  }
}
