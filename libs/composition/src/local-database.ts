import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Database, PostgresServer } from '@quarry/platform';
import pg from 'pg';

/** The database cannot be used; the message tells the operator what to do. */
export class DatabaseSetUpError extends Error {
  override readonly name = 'DatabaseSetUpError';
}

const DATABASE = 'quarry';
/** Own schemas: finding one in a database without our migrations means that it belongs to somebody else. */
const SCHEMAS = ['identity', 'credits', 'jobs', 'runs', 'tables'];
/** The oldest server that the migrations are known to run on. */
const SERVER_VERSION_MIN = 160_000;

export interface LocalDatabase {
  url: string;
  /** Null when the server is somebody else's. */
  server: PostgresServer | null;
  close(): Promise<void>;
}

/**
 * Finds the PostgreSQL to work on: the given one, the one that a running product has in its data folder, or one
 * that is started there.
 * @param options.attach whether a server that runs already on the folder may be shared instead of ended
 * @throws DatabaseSetUpError, PostgresServerError
 */
export async function openLocalDatabase(options: {
  databaseUrl: string | null;
  dataDir: string;
  attach: boolean;
  onProgress?: (line: string) => void;
}): Promise<LocalDatabase> {
  if (options.databaseUrl !== null)
    return { url: options.databaseUrl, server: null, close: () => Promise.resolve() };
  const dir = join(resolve(options.dataDir), 'postgres');
  const running = options.attach ? PostgresServer.runningAt(dir) : null;
  if (running !== null)
    return { url: PostgresServer.urlOf(running, DATABASE), server: null, close: () => Promise.resolve() };
  if (!existsSync(options.dataDir)) mkdirSync(options.dataDir, { recursive: true });
  const server = await PostgresServer.start({
    dir,
    ...(options.onProgress ? { onProgress: options.onProgress } : {}),
  });
  await ensureDatabase(server.url('postgres'));
  return { url: server.url(DATABASE), server, close: () => server.stop() };
}

/**
 * Judges a server before anything is written to it, then brings the schema up to date.
 * @throws DatabaseSetUpError
 */
export async function migratedDatabase(url: string, applicationName: string): Promise<Database> {
  await judgeServer(url);
  const database = await Database.open({ url, applicationName });
  await database.migrate();
  return database;
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

async function judgeServer(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect().catch((cause: Error) => {
      throw new DatabaseSetUpError(
        `PostgreSQL at ${safeUrl(url)} cannot be used: ${cause.message || 'no connection'}. Check DATABASE_URL, and that the server runs.`,
        { cause },
      );
    });
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
