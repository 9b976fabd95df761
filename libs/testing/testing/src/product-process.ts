import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCtx } from '@quarry/app';
import { freePort, PostgresServer } from '@quarry/local-postgres';
import { AppProcess } from './app-process.js';
import { waitFor } from '@quarry/test-servers';
import { createTestDatabase, type TestDatabase } from './test-database.js';

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

/** The built product as its own process, as `npm start` runs it. */
export interface Product {
  baseUrl: string;
  /** Content of the product's credentials.json. */
  credentials: { base_url: string; api_key: string; test_key: string } & Record<string, string>;
  dataDir: string;
  pid: number;
  /** The database in the shared cluster; null with the embedded server. */
  database: TestDatabase | null;
  /** Everything that it has printed. */
  output(): string;
  /** Asks it to stop, by default as a supervisor does (SIGTERM). @returns its exit code, null when the signal ended it */
  stop(signal?: 'SIGINT' | 'SIGTERM'): Promise<number | null>;
  /** Ends it without a chance to clear up; its own PostgreSQL lives on. */
  kill9(): Promise<number | null>;
  /** Ends it and every process below it, the embedded PostgreSQL too, without a chance to clear up. Needs /proc. */
  powerCut(): Promise<void>;
  waitForExit(): Promise<number | null>;
  /** Ends what still runs, an orphaned server too, and removes folder and database. */
  dispose(): Promise<void>;
}

// The first start makes a cluster and runs the sample prompt; two cores and other suites are busy beside it.
const READY_TIMEOUT_MS = 90_000;
/** A dozen processes instead of one. */
const FLEET_READY_TIMEOUT_MS = 240_000;
/** The last line of the start screen. */
const READY_LINE = 'Press Ctrl-C to stop';

/**
 * True where the suites are about a fleet: QUARRY_PRODUCT=fleet (`npm run test:fleet`) starts a process for each service,
 * else there is one. Both are started and called alike.
 */
const IS_FLEET = process.env.QUARRY_PRODUCT === 'fleet';

/**
 * Starts apps/local, or apps/fleet, on a free port and waits until it says that it is ready.
 * @throws Error with its output when it ends before that, or takes too long
 */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'quarry-product-'));
  const database = await databaseOf(options.database ?? 'shared');
  const app = AppProcess.start(IS_FLEET ? 'fleet' : 'local', {
    PORT: IS_FLEET ? '0' : `${await freePort()}`,
    ...(process.env.QUARRY_FLEET_QUEUES === 'postgres' ? { OWN_REDIS: 'off' } : {}),
    DATA_DIR: dataDir,
    ...(database ? { DATABASE_URL: database.url } : {}),
    ...options.env,
  });
  const dispose = async (): Promise<void> => {
    // A fleet that is killed cannot end its Redis.
    if (IS_FLEET) await app.stop('SIGTERM');
    await app.stop('SIGKILL');
    await endOrphanedServer(join(dataDir, 'postgres'));
    if (database) await dropWhenLeft(database);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const defaultTimeoutMs = IS_FLEET ? FLEET_READY_TIMEOUT_MS : READY_TIMEOUT_MS;
    await app.printed(READY_LINE, options.readyTimeoutMs ?? defaultTimeoutMs);
  } catch (error) {
    await dispose();
    throw error;
  }
  const credentials = JSON.parse(
    readFileSync(join(dataDir, 'credentials.json'), 'utf8'),
  ) as Product['credentials'];
  return {
    baseUrl: credentials.base_url,
    credentials,
    dataDir,
    pid: app.pid,
    database,
    output: () => app.output,
    stop: (signal = 'SIGTERM') => app.stop(signal),
    kill9: () => app.stop('SIGKILL'),
    powerCut: () => killAll([app.pid, ...descendantsOf(app.pid)]),
    waitForExit: () => app.ended(),
    dispose,
  };
}

/** @returns the processes below one, of every generation, without itself; Linux only: /proc tells */
export function descendantsOf(pid: number): number[] {
  const parents = new Map(
    readdirSync('/proc').flatMap((name): Array<[number, number]> => {
      const status = /^\d+$/.test(name) ? statusOf(Number(name)) : null;
      return status ? [[Number(name), status.parent]] : [];
    }),
  );
  const found = [pid];
  // Grows while it is walked: a child's children follow it.
  for (const parent of found)
    for (const [child, its] of parents) if (its === parent && !found.includes(child)) found.push(child);
  return found.slice(1);
}

/** @returns whether a process still runs; one that nobody has reaped does not */
export function isRunning(pid: number): boolean {
  return !['Z', 'X', undefined].includes(statusOf(pid)?.state);
}

function statusOf(pid: number): { state: string; parent: number } | null {
  try {
    // "pid (name) state parent …"; the name may hold blanks and brackets. Source: proc_pid_stat(5).
    const fields = /.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return fields && { state: fields[1]!, parent: Number(fields[2]) };
  } catch {
    return null; // ended meanwhile
  }
}

/** Sends all signals before it waits for any: what is left of a tree must not find time to clear up. */
async function killAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  await waitFor('killed processes to end', () => Promise.resolve(!pids.some(isRunning)));
}

async function databaseOf(wanted: NonNullable<ProductOptions['database']>): Promise<TestDatabase | null> {
  if (typeof wanted === 'object') return wanted;
  return wanted === 'shared' ? createTestDatabase() : null;
}

/** A product that was killed leaves its server behind; nobody else would end it. */
async function endOrphanedServer(dir: string): Promise<void> {
  if (PostgresServer.runningAt(dir) === null) return;
  const pid = Number(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  process.kill(pid, 'SIGQUIT');
  await waitFor('the orphaned server to end', () => Promise.resolve(!existsSync(`/proc/${pid}`)));
}

/** The server notices some time after a kill that the sessions have lost their client. */
async function dropWhenLeft(test: TestDatabase): Promise<void> {
  await waitFor('sessions of the product to end', async () => {
    const left = await test.database.queryOne<{ others: string }>(
      systemCtx('spec'),
      `SELECT count(*)::text AS others FROM pg_stat_activity
        WHERE datname = current_database() AND application_name NOT LIKE 'spec%' AND backend_type = 'client backend'`,
    );
    return left?.others === '0';
  });
  await test.drop();
}
