import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Database, FolderLock, PostgresServer, sqlState } from '@quarry/platform';
import pg from 'pg';
import { serverFault } from './server-fault.js';

/** The database cannot be used; the message tells the operator what to do. */
export class DatabaseSetUpError extends Error {
  override readonly name = 'DatabaseSetUpError';
}

const DATABASE = 'quarry';
/** Own schemas: finding one in a database without our migrations means that it belongs to somebody else. */
const SCHEMAS = ['identity', 'credits', 'jobs', 'runs', 'tables'];
/** The oldest server that the migrations are known to run on. */
const SERVER_VERSION_MIN = 160_000;
const INSUFFICIENT_PRIVILEGE = '42501';
const CONNECT_PATIENCE_MS = 5_000;
/** The product may be starting, and another command may be at work. */
const BORROW_PATIENCE_MS = 30_000;
const BORROW_POLL_MS = 100;

export interface LocalDatabase {
  url: string;
  /** Null when the server is somebody else's. */
  server: PostgresServer | null;
  close(): Promise<void>;
}

/** The lock of a data folder: who holds it may start and end the server in it. */
export function lockFileOf(dataDir: string): string {
  return join(resolve(dataDir), 'quarry.pid');
}

/**
 * Finds the PostgreSQL to work on: the given one, or one that is started in the data folder.
 * @throws PostgresServerError
 */
export async function openLocalDatabase(options: {
  databaseUrl: string | null;
  dataDir: string;
  onProgress?: (line: string) => void;
}): Promise<LocalDatabase> {
  if (options.databaseUrl !== null)
    return { url: options.databaseUrl, server: null, close: () => Promise.resolve() };
  const server = await PostgresServer.start({
    dir: clusterOf(options.dataDir),
    ...(options.onProgress ? { onProgress: options.onProgress } : {}),
  });
  await ensureDatabase(server.url('postgres'));
  return { url: server.url(DATABASE), server, close: () => server.stop() };
}

/**
 * As {@link openLocalDatabase}, for a command beside the product: it shares the server of a product that runs,
 * and holds the folder while it runs one itself.
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
  const deadline = performance.now() + BORROW_PATIENCE_MS;
  for (;;) {
    const taken = await FolderLock.take(lockFile, 'admin', 0);
    if (taken instanceof FolderLock) return ownServer(options, taken);
    const url = taken.role === 'product' ? await urlOfRunning(options.dataDir) : null;
    if (url !== null) return { url, server: null, close: () => Promise.resolve() };
    if (performance.now() > deadline) {
      throw new DatabaseSetUpError(
        `Process ${taken.pid} holds ${resolve(options.dataDir)}, and its database is not ready. Try again in a moment.`,
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

/** @returns null while the product that holds the folder is still starting, or stops already */
async function urlOfRunning(dataDir: string): Promise<string | null> {
  const port = PostgresServer.runningAt(clusterOf(dataDir));
  if (port === null) return null;
  const url = PostgresServer.urlOf(port, DATABASE);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  return client.connect().then(
    () => client.end().then(() => url),
    () => null,
  );
}

function clusterOf(dataDir: string): string {
  return join(resolve(dataDir), 'postgres');
}

/**
 * Judges a server before anything is written to it, then brings the schema up to date.
 * @throws DatabaseSetUpError
 */
export async function migratedDatabase(url: string, applicationName: string): Promise<Database> {
  await judgeServer(url);
  const database = await Database.open({ url, applicationName });
  try {
    await database.migrate();
    return database;
  } catch (cause) {
    await database.close();
    if (sqlState(cause) !== INSUFFICIENT_PRIVILEGE) throw cause;
    throw new DatabaseSetUpError(
      `The user of the database at ${safeUrl(url)} may not create schemas and tables in it. Make it the owner of the database, or name another user in DATABASE_URL.`,
      { cause },
    );
  }
}

async function ensureDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/**
 * Connects once, to tell an operator what is wrong with an address before anything works on it.
 * @param variable the environment variable that names the server
 * @throws DatabaseSetUpError
 */
export async function requireServer(url: string, variable: string): Promise<void> {
  const client = await connected(url, variable);
  await client.end().catch(() => undefined);
}

async function connected(url: string, variable: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_PATIENCE_MS });
  // A server that hangs up later fails the statement in hand; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect().catch((cause: Error) => {
    throw new DatabaseSetUpError(
      `PostgreSQL at ${safeUrl(url)} cannot be used: ${serverFault(cause, 'PostgreSQL', CONNECT_PATIENCE_MS)}. Check ${variable}, and that the server runs.`,
      { cause },
    );
  });
  return client;
}

async function judgeServer(url: string): Promise<void> {
  const client = await connected(url, 'DATABASE_URL');
  try {
    const version = Number(
      (await client.query<{ v: string }>("SELECT current_setting('server_version_num') AS v")).rows[0]?.v,
    );
    if (version < SERVER_VERSION_MIN) {
      throw new DatabaseSetUpError(
        `PostgreSQL at ${safeUrl(url)} has version ${Math.trunc(version / 10_000)}; Quarry needs 16 or newer.`,
      );
    }
    const { rows } = await client.query<{ foreign: string | null }>(
      `SELECT (SELECT string_agg(nspname, ', ') FROM pg_namespace WHERE nspname = ANY ($1)) AS foreign WHERE to_regclass('quarry_migrations') IS NULL`,
      [SCHEMAS],
    );
    if (rows[0]?.foreign) {
      throw new DatabaseSetUpError(
        `The database at ${safeUrl(url)} has schemas that Quarry did not make (${rows[0].foreign}). Point DATABASE_URL at an empty database.`,
      );
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The address without its password. */
function safeUrl(url: string): string {
  const parsed = new URL(url);
  return `${parsed.hostname}:${parsed.port || '5432'}${parsed.pathname}`;
}
