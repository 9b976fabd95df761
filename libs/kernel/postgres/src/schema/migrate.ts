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
 * A statement that waits for a table lock blocks all later ones, so a migration waits for two seconds, lets others pass
 * for one, and retries, for two minutes. Source: requests wait for storage for 4 s (docs/reliability.md).
 */
const LOCK_MS = 2_000;
const LOCK_PAUSE_MS = 1_000;
const LOCK_TIMEOUT_MS = 120_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** Pending migrations of a database, and whether they may be applied. */
export interface SchemaState {
  /** Migrations of this version that have not been applied, oldest first; then missing functions. */
  pending: string[];
  /** True if the connected user may change the schema. */
  mayMigrate: boolean;
}

export interface MigrateOptions {
  /** Maximum time for retries on a locked table, in milliseconds. */
  lockTimeoutMs?: number;
}

/**
 * Creates the roles, applies all pending migrations, replaces functions whose text has changed, and sets the rights of
 * each role. Nothing else changes the schema.
 * Several processes may call it at once: one works, the others wait for it. It needs no session state, so it also works
 * through a pooler in transaction mode.
 * @param url address of the database for its owner
 * @returns the names of the applied migrations
 * @throws RolesMissingError; the driver's error, 55P03 if a table stayed locked for two minutes
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
 * Runs `work` in one migrating process at a time. The lock belongs to a transaction that stays open beside the work and
 * does nothing else. A concurrent index build waits for all transactions that had a snapshot when it started. So no
 * process waits for the lock within a statement, and each attempt is a transaction of its own: one transaction over all
 * attempts would block the index build while waiting for it.
 */
async function withMigrationLock<T>(lock: pg.Client, work: () => Promise<T>): Promise<T> {
  while (!(await takesLock(lock))) {
    await lock.query('ROLLBACK');
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    // The lock ends with its connection.
    await lock.query('ROLLBACK').catch(() => undefined);
  }
}

/** Starts a transaction. @returns whether it holds the lock */
async function takesLock(lock: pg.Client): Promise<boolean> {
  await lock.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
  // 0x51554152 spells QUAR.
  const { rows } = await lock.query<{ taken: boolean }>(
    'SELECT pg_try_advisory_xact_lock(1364541778) AS taken',
  );
  return rows[0]!.taken;
}

/** @returns the state of the migrations of a database; works for any role that may log in */
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
 * {@link migrate} sets after the rows are restored.
 * @param count number of migrations, oldest first
 */
export async function migrateUpTo(url: string, count: number): Promise<void> {
  await withClient(url, ensureRoles);
  await applyMigrations(url, count);
}

async function applyMigrations(url: string, count = MIGRATIONS.length): Promise<void> {
  // Loaded only if there is something to apply: it is as large as everything else that a process loads at startup.
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
  // No statement timeout: an index of a large table takes as long as it takes. A concurrent build does not block writers
  // while it waits, so it needs no lock timeout either; a lock timeout would also end its wait for older transactions and
  // discard the build.
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

/** Applies both in one transaction, so that no session sees a function whose search path is not pinned. */
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

/** Retries `work` while a table is locked; earlier migrations stay applied. */
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
