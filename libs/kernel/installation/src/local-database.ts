import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FolderLock } from '@quarry/app';
import {
  CONNECTION_BUDGETS,
  Database,
  isLockedOut,
  migrate,
  MIGRATION_NAMES,
  ROLES,
  roleSql,
  RolesMissingError,
  schemaStateOf,
  sqlState,
  type MigrateOptions,
  type SchemaState,
} from '@quarry/postgres';
import { migrateQueues } from '@quarry/queue';
import { PostgresServer } from '@quarry/local-postgres';
import pg from 'pg';
import { serverFault } from './server-fault.js';

/** The database cannot be used; the message tells the operator what to do. */
export class DatabaseSetUpError extends Error {
  override readonly name = 'DatabaseSetUpError';
}

const DATABASE = 'quarry';
/** Owner of the database on the embedded server, without rights outside it. */
const OWNER = 'quarry_owner';
/** Our schemas: if one exists in a database without our migrations, the database belongs to something else. */
const SCHEMAS = ['identity', 'credits', 'jobs', 'runs', 'tables', 'go', 'requests', 'metrics'];
/** Oldest server version on which the migrations are known to run. */
const SERVER_VERSION_MIN = 160_000;
const INSUFFICIENT_PRIVILEGE = '42501';
const CONNECT_TIMEOUT_MS = 5_000;
/** Wait for a product that is starting, or for another command. */
const BORROW_TIMEOUT_MS = 120_000;
const BORROW_POLL_MS = 100;

export interface LocalDatabase {
  /** Address for the owner of the database, who may change its schema. */
  url: string;
  /** Address for the role that works for all organisations; null if only the owner's is known. */
  workingUrl: string | null;
  /** Address for the role that serves requests; null if only the owner's is known. */
  servingUrl: string | null;
  /** Null if the server was not started here. */
  server: PostgresServer | null;
  close(): Promise<void>;
}

/** Queues of an installation. */
export interface InstalledQueues {
  queueNames: readonly string[];
  /** Address of the queues; the database of the product by default. */
  queueUrl?: string | undefined;
}

/** Returns the lock file of a data folder. Its holder may start and stop the server in it. */
export function lockFileOf(dataDir: string): string {
  return join(resolve(dataDir), 'quarry.pid');
}

/**
 * Opens the PostgreSQL to use: the given one, or one that is started in the data folder.
 * @throws PostgresServerError
 */
export async function openLocalDatabase(options: {
  databaseUrl: string | null;
  dataDir: string;
  /** Settings of the started server, `name=value`. */
  settings?: string[];
  onProgress?: (line: string) => void;
}): Promise<LocalDatabase> {
  if (options.databaseUrl !== null) {
    const url = options.databaseUrl;
    return { url, workingUrl: null, servingUrl: null, server: null, close: () => Promise.resolve() };
  }
  const server = await PostgresServer.start({
    dir: clusterOf(options.dataDir),
    ...(options.settings ? { settings: options.settings } : {}),
    ...(options.onProgress ? { onProgress: options.onProgress } : {}),
  });
  await ensureDatabase(server);
  return {
    url: server.url(DATABASE, OWNER),
    workingUrl: server.url(DATABASE, ROLES.working),
    servingUrl: server.url(DATABASE, ROLES.serving),
    server,
    close: () => server.stop(),
  };
}

/**
 * Opens a database like {@link openLocalDatabase}, for a command beside the product: it uses the server of a running
 * product, or locks the folder while it runs one itself.
 * @throws DatabaseSetUpError, PostgresServerError
 */
export async function borrowLocalDatabase(options: {
  databaseUrl: string | null;
  dataDir: string;
  onProgress?: (line: string) => void;
}): Promise<LocalDatabase> {
  if (options.databaseUrl !== null) return openLocalDatabase(options);
  mkdirSync(options.dataDir, { recursive: true });
  const lockFile = lockFileOf(options.dataDir);
  const deadline = performance.now() + BORROW_TIMEOUT_MS;
  for (;;) {
    const taken = await FolderLock.take(lockFile, 'admin', 0);
    if (taken instanceof FolderLock) return ownServer(options, taken);
    const urls = taken.role === 'product' ? await urlsOfRunning(options.dataDir) : null;
    if (urls !== null) return { ...urls, server: null, close: () => Promise.resolve() };
    if (performance.now() > deadline) {
      throw new DatabaseSetUpError(
        `Process ${taken.pid} uses ${resolve(options.dataDir)}, and its database is not ready. Try again in a moment.`,
      );
    }
    await delay(BORROW_POLL_MS);
  }
}

async function ownServer(
  options: Parameters<typeof openLocalDatabase>[0],
  lock: FolderLock,
): Promise<LocalDatabase> {
  try {
    const local = await openLocalDatabase(options);
    return { ...local, close: () => local.close().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** @returns null while the product that holds the folder is starting or stopping */
async function urlsOfRunning(
  dataDir: string,
): Promise<Pick<LocalDatabase, 'url' | 'workingUrl' | 'servingUrl'> | null> {
  const url = PostgresServer.urlAt(clusterOf(dataDir), DATABASE, OWNER);
  const workingUrl = PostgresServer.urlAt(clusterOf(dataDir), DATABASE, ROLES.working);
  const servingUrl = PostgresServer.urlAt(clusterOf(dataDir), DATABASE, ROLES.serving);
  if (url === null) return null;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  return client.connect().then(
    () => client.end().then(() => ({ url, workingUrl, servingUrl })),
    () => null,
  );
}

function clusterOf(dataDir: string): string {
  return join(resolve(dataDir), 'postgres');
}

/**
 * Checks a server before anything is written to it, migrates its schema if the user of the address may do so, and opens
 * it for work across organisations, without the right to change the schema.
 * @param options.workingUrl address to work with; by default the same one in the working role
 * @throws DatabaseSetUpError
 */
export async function openMigratedDatabase(
  url: string,
  applicationName: 'local' | 'admin',
  options: InstalledQueues & { workingUrl?: string | null },
): Promise<Database> {
  const { pending, mayMigrate } = await checkServer(url);
  if (mayMigrate) await migrateInstallation(url, options);
  else if (pending.length > 0) throw mayNotMigrate(url);
  const named = { applicationName, connections: CONNECTION_BUDGETS[applicationName] };
  if (options.workingUrl != null) return Database.open({ url: options.workingUrl, ...named });
  return Database.open({ url, ...named, ...(mayMigrate ? { role: ROLES.working } : {}) });
}

/**
 * Migrates the schema of the product and of its queues, and grants the rights of the roles.
 * @param url address of the database for its owner
 * @returns the names of the applied migrations
 * @throws DatabaseSetUpError
 */
export async function migrateInstallation(
  url: string,
  { queueNames, queueUrl = url }: InstalledQueues,
  options: MigrateOptions = {},
): Promise<string[]> {
  const { mayMigrate } = await checkServer(url);
  if (!mayMigrate) throw mayNotMigrate(url);
  try {
    const applied = await migrate(url, options);
    await migrateQueues(queueUrl, queueNames);
    return applied;
  } catch (cause) {
    if (cause instanceof RolesMissingError) throw new DatabaseSetUpError(cause.message, { cause });
    if (sqlState(cause) === INSUFFICIENT_PRIVILEGE) throw mayNotMigrate(url, cause);
    if (isLockedOut(cause)) throw new DatabaseSetUpError(TABLE_LOCKED, { cause });
    throw cause;
  }
}

const TABLE_LOCKED =
  'The migration stopped because another session keeps a table locked (see pg_locks). Changes applied so far stay; run "npm run migrate" again.';

function mayNotMigrate(url: string, cause?: unknown): DatabaseSetUpError {
  return new DatabaseSetUpError(
    `The user of the database at ${safeUrl(url)} is not allowed to create schemas and tables. Run "npm run migrate" with the owner of the database in DATABASE_URL.`,
    { cause },
  );
}

/** Creates the database and its owner, who is not a superuser, and transfers objects of an older version to it. */
async function ensureDatabase(server: PostgresServer): Promise<void> {
  await asSuperuser(server, 'postgres', async (client) => {
    // The password consists of letters and digits, so it needs no quoting.
    for (const name of [OWNER, ...Object.values(ROLES)]) {
      const isThere = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
      if (isThere.rowCount === 0) await client.query(roleSql(name));
      await client.query(
        `ALTER ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD '${server.passwordOf(name)}'`,
      );
    }
    await client.query(`GRANT ${ROLES.working} TO ${OWNER} WITH INHERIT TRUE, SET TRUE`);
    const { rows } = await client.query<{ owner: string }>(
      'SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1',
      [DATABASE],
    );
    const owner = rows[0]?.owner;
    if (owner === OWNER) return closeToOthers(client);
    if (owner === undefined) {
      await client.query(`CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
      return closeToOthers(client);
    }
    await asSuperuser(server, DATABASE, (inside) => inside.query(HAND_OVER));
    // Last: if the start is interrupted before, everything is repeated.
    await closeToOthers(client);
    await client.query(`ALTER DATABASE ${DATABASE} OWNER TO ${OWNER}`);
  });
}

/** Restricts the database to the product's roles, which may not create temporary tables either. */
async function closeToOthers(client: pg.Client): Promise<void> {
  await client.query(`REVOKE ALL ON DATABASE ${DATABASE} FROM PUBLIC`);
  await client.query(`GRANT CONNECT ON DATABASE ${DATABASE} TO ${Object.values(ROLES).join(', ')}`);
}

async function asSuperuser<T>(
  server: PostgresServer,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: server.url(database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Statements that transfer everything that is not PostgreSQL's own. Objects of a table or type are transferred with it. */
const HAND_OVER = `
DO $$
DECLARE
  r record;
BEGIN
  FOR r IN
    SELECT format('ALTER SCHEMA %I OWNER TO ${OWNER}', n.nspname) AS statement, 0 AS step FROM pg_namespace n
      WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'public')
    UNION ALL
    SELECT format('ALTER TABLE %s OWNER TO ${OWNER}', c.oid::regclass), 1 FROM pg_class c
      WHERE c.relnamespace::regnamespace::text !~ '^(pg_|information_schema$)' AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
    UNION ALL
    SELECT format('ALTER ROUTINE %s OWNER TO ${OWNER}', p.oid::regprocedure), 1 FROM pg_proc p
      WHERE p.pronamespace::regnamespace::text !~ '^(pg_|information_schema$)'
    UNION ALL
    SELECT format('ALTER TYPE %s OWNER TO ${OWNER}', t.oid::regtype), 1 FROM pg_type t
      WHERE t.typnamespace::regnamespace::text !~ '^(pg_|information_schema$)' AND t.typtype IN ('e', 'd')
    ORDER BY step
  LOOP
    EXECUTE r.statement;
  END LOOP;
END $$`;

/**
 * Connects once, to report a wrong address to the operator before it is used.
 * @param variable the environment variable that names the server
 * @throws DatabaseSetUpError
 */
export async function requireServer(url: string, variable: string): Promise<void> {
  const client = await connectTo(url, variable);
  await client.end().catch(() => undefined);
}

async function connectTo(url: string, variable: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // If the server closes the connection later, the statement fails; without a listener the process would end.
  client.on('error', () => undefined);
  await client.connect().catch((cause: Error) => {
    throw new DatabaseSetUpError(
      `PostgreSQL at ${safeUrl(url)} cannot be used: ${serverFault(cause, 'PostgreSQL', CONNECT_TIMEOUT_MS)}. Check ${variable}, and that the server runs.`,
      { cause },
    );
  });
  return client;
}

/** @returns the number of connections that a server leaves to ordinary users. @throws DatabaseSetUpError */
export async function connectionsLeftAt(url: string): Promise<number> {
  const client = await connectTo(url, 'DATABASE_URL');
  try {
    const { rows } = await client.query<{ left: number }>(
      "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS left",
    );
    return rows[0]!.left;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** @returns the state of its migrations. @throws DatabaseSetUpError if this version cannot work with it */
async function checkServer(url: string): Promise<SchemaState> {
  const client = await connectTo(url, 'DATABASE_URL');
  try {
    return await readKnownSchema(client, url);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Reads the state of the migrations.
 * @param url address of the connection for error messages
 * @throws DatabaseSetUpError if this version cannot work with the database
 */
export async function readKnownSchema(client: pg.Client, url: string): Promise<SchemaState> {
  const version = Number(
    (await client.query<{ v: string }>("SELECT current_setting('server_version_num') AS v")).rows[0]?.v,
  );
  if (version < SERVER_VERSION_MIN) {
    throw new DatabaseSetUpError(
      `PostgreSQL at ${safeUrl(url)} has version ${Math.trunc(version / 10_000)}; Quarry needs 16 or newer.`,
    );
  }
  const newer = await unknownMigration(client);
  if (newer !== null) {
    throw new DatabaseSetUpError(
      `The database at ${safeUrl(url)} was migrated by a newer version of Quarry (migration "${newer}" is unknown here). Start that version, or restore a backup that was made before it.`,
    );
  }
  const { rows } = await client.query<{ foreign: string | null }>(
    `SELECT (SELECT string_agg(nspname, ', ') FROM pg_namespace WHERE nspname = ANY ($1)) AS foreign WHERE to_regclass('quarry_migrations') IS NULL`,
    [SCHEMAS],
  );
  if (rows[0]?.foreign) {
    throw new DatabaseSetUpError(
      `The database at ${safeUrl(url)} has schemas that Quarry did not create (${rows[0].foreign}). Point DATABASE_URL at an empty database.`,
    );
  }
  return schemaStateOf(client);
}

/** @returns an applied migration that this version does not know; null if there is none */
async function unknownMigration(client: pg.Client): Promise<string | null> {
  const table = await client.query(
    "SELECT 1 WHERE has_table_privilege(to_regclass('quarry_migrations'), 'SELECT')",
  );
  if (table.rowCount === 0) return null;
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM quarry_migrations WHERE name <> ALL ($1) ORDER BY timestamp LIMIT 1',
    [MIGRATION_NAMES],
  );
  return rows[0]?.name ?? null;
}

/** Returns the address without its password. */
function safeUrl(url: string): string {
  const parsed = new URL(url);
  return `${parsed.hostname}:${parsed.port || '5432'}${parsed.pathname}`;
}
