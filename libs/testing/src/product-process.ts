import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, PostgresServer, systemCtx } from '@quarry/platform';
import { createTestDatabase, waitFor, type TestDatabase } from './test-database.js';

export interface ProductOptions {
  /** Variables of the product beside the port, the folder and the database. */
  env?: Record<string, string>;
  /**
   * `shared` (default): a fresh database in the cluster of this test run, fast. `embedded`: a server of its own.
   * A database of an earlier product: to start again on it.
   */
  database?: 'shared' | 'embedded' | TestDatabase;
  /** Folder of an earlier product to start again on; a fresh one when left out. */
  dataDir?: string;
  readyTimeoutMs?: number;
}

/** How the process ended: exactly one of the two is not null. */
export interface ProductEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The built product as its own process, as `npm start` runs it. */
export interface Product {
  baseUrl: string;
  /** What the product wrote to credentials.json. */
  credentials: { base_url: string; api_key: string; test_key: string } & Record<string, string>;
  dataDir: string;
  pid: number;
  /** The database in the shared cluster; null with the embedded server. */
  database: TestDatabase | null;
  /** Everything that it has printed, standard output and standard error together. */
  output(): string;
  /** Asks it to stop, by default as a supervisor does (SIGTERM), and waits until it has gone. */
  stop(signal?: NodeJS.Signals): Promise<ProductEnd>;
  /** Ends it without a chance to clear up, as a power cut does. */
  kill9(): Promise<ProductEnd>;
  waitForExit(): Promise<ProductEnd>;
  /** Ends what still runs, an orphaned server too, and removes folder and database. */
  dispose(): Promise<void>;
}

// The first start makes a cluster and runs the sample prompt; two cores and other suites are busy beside it.
const READY_TIMEOUT_MS = 90_000;
const READY_LINE = 'Quarry is ready.';
const ROOT = resolve(import.meta.dirname, '../../..');

/**
 * Starts apps/local on a free port and waits until it says that it is ready.
 * @throws Error with its output when it ends before that, or takes too long
 */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'quarry-product-'));
  const database = await databaseOf(options.database ?? 'shared');
  const port = await freePort();
  const child = launch({
    PORT: `${port}`,
    DATA_DIR: dataDir,
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...options.env,
  });
  const ended = endOf(child);
  const output = outputOf(child);
  const dispose = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await endOrphanedServer(join(dataDir, 'postgres'));
    await waitFor(
      'sessions of the product to end',
      async () => !database || (await hasNoOtherSessions(database)),
    );
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await ready(output, ended, options.readyTimeoutMs ?? READY_TIMEOUT_MS);
  } catch (error) {
    await dispose();
    throw error;
  }
  const end = (signal: NodeJS.Signals): Promise<ProductEnd> => {
    child.kill(signal);
    return ended;
  };
  const credentials = JSON.parse(
    readFileSync(join(dataDir, 'credentials.json'), 'utf8'),
  ) as Product['credentials'];
  return {
    baseUrl: credentials.base_url,
    credentials,
    dataDir,
    pid: child.pid ?? 0,
    database,
    output,
    stop: (signal = 'SIGTERM') => end(signal),
    kill9: () => end('SIGKILL'),
    waitForExit: () => ended,
    dispose,
  };
}

async function databaseOf(wanted: NonNullable<ProductOptions['database']>): Promise<TestDatabase | null> {
  if (typeof wanted === 'object') return wanted;
  return wanted === 'shared' ? createTestDatabase() : null;
}

function launch(env: Record<string, string>): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(process.execPath, ['--enable-source-maps', join(ROOT, 'apps/local/dist/main.js')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing of the surroundings but what any process needs: a variable set by chance must not decide a test.
    env: { PATH, HOME, ...env },
  });
}

function outputOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return () => text;
}

function endOf(child: ChildProcess): Promise<ProductEnd> {
  return new Promise((done) => {
    child.once('error', () => done({ code: 127, signal: null }));
    child.once('close', (code, signal) => done({ code, signal }));
  });
}

async function ready(output: () => string, ended: Promise<ProductEnd>, timeoutMs: number): Promise<void> {
  let end: ProductEnd | null = null;
  void ended.then((how) => (end = how));
  const seen = waitFor('the product', () => Promise.resolve(output().includes(READY_LINE) || end), timeoutMs);
  await seen.catch((cause: unknown) => {
    throw new Error(`The product was not ready after ${timeoutMs} ms. It printed:\n${output()}`, { cause });
  });
  if (end) throw new Error(`The product ended before it was ready (${JSON.stringify(end)}):\n${output()}`);
}

/** A product that was killed leaves its server behind; nobody else would end it. */
async function endOrphanedServer(dir: string): Promise<void> {
  if (PostgresServer.runningAt(dir) === null) return;
  const pid = Number(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  process.kill(pid, 'SIGQUIT');
  await waitFor('the orphaned server to end', () => Promise.resolve(!existsSync(`/proc/${pid}`)));
}

async function hasNoOtherSessions({ database }: TestDatabase): Promise<boolean> {
  const rows = await database.query<{ others: string }>(
    systemCtx('spec'),
    `SELECT count(*)::text AS others FROM pg_stat_activity
      WHERE datname = current_database() AND application_name NOT LIKE 'spec%' AND backend_type = 'client backend'`,
    [],
  );
  return rows[0]?.others === '0';
}
