import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, PostgresServer } from '@quarry/local-postgres';
import { AppProcess } from './app-process.js';
import { waitFor } from '@quarry/test-servers';
import { createTestDatabase, dropWhenLeft, type TestDatabase } from './test-database.js';

export interface ProductOptions {
  /** Variables of the product in addition to the port, the folder and the database. */
  env?: Record<string, string>;
  /**
   * `shared` (default): a new database in the cluster of this test run, fast. `embedded`: a server of its own.
   * A database of an earlier product: to restart on it.
   */
  database?: 'shared' | 'embedded' | TestDatabase;
  /** Folder of an earlier product to restart on; a new one by default. */
  dataDir?: string;
}

/** The built product as a separate process, as `npm start` runs it. */
export interface Product {
  baseUrl: string;
  /** Content of the product's credentials.json. */
  credentials: { base_url: string; api_key: string; test_key: string } & Record<string, string>;
  dataDir: string;
  pid: number;
  /** Database in the shared cluster; null with the embedded server. */
  database: TestDatabase | null;
  /** Returns its output. */
  output(): string;
  /** Stops it, by default like a supervisor (SIGTERM). @returns its exit code; null if the signal ended it */
  stop(signal?: 'SIGINT' | 'SIGTERM'): Promise<number | null>;
  /** Kills it without cleanup; its embedded PostgreSQL survives. */
  kill9(): Promise<number | null>;
  /** Kills it and all its descendants, including the embedded PostgreSQL, without cleanup. Needs /proc. */
  powerCut(): Promise<void>;
  waitForExit(): Promise<number | null>;
  /** Stops what is still running, including an orphaned server, and removes folder and database. */
  dispose(): Promise<void>;
}

// The first start creates a cluster and runs the sample prompt, on two cores that run other suites as well.
const READY_TIMEOUT_MS = 90_000;
/** A fleet has a dozen processes instead of one. */
const FLEET_READY_TIMEOUT_MS = 240_000;
/** Last line of the start screen. */
const READY_LINE = 'Press Ctrl-C to stop';

/**
 * True for a fleet: with QUARRY_PRODUCT=fleet (`npm run test:fleet`) each service is a process, else there is one process.
 * Both are started and used in the same way.
 */
const IS_FLEET = process.env.QUARRY_PRODUCT === 'fleet';

/**
 * Starts apps/local, or apps/fleet, on a free port and waits until it reports that it is ready.
 * @throws Error with its output if it ends before that, or takes too long
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
    // A fleet that is killed cannot stop its Redis.
    if (IS_FLEET) await app.stop('SIGTERM');
    await app.stop('SIGKILL');
    await endOrphanedServer(join(dataDir, 'postgres'));
    if (database) await dropWhenLeft(database);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await app.printed(READY_LINE, IS_FLEET ? FLEET_READY_TIMEOUT_MS : READY_TIMEOUT_MS);
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

/** @returns all descendants of a process, without itself; Linux only: uses /proc */
export function descendantsOf(pid: number): number[] {
  const parents = new Map(
    readdirSync('/proc').flatMap((name): Array<[number, number]> => {
      const status = /^\d+$/.test(name) ? statusOf(Number(name)) : null;
      return status ? [[Number(name), status.parent]] : [];
    }),
  );
  const found = [pid];
  // Grows during the iteration: a child is followed by its own children.
  for (const parent of found)
    for (const [child, its] of parents) if (its === parent && !found.includes(child)) found.push(child);
  return found.slice(1);
}

/** @returns whether a process is running; a zombie is not */
export function isRunning(pid: number): boolean {
  return !['Z', 'X', undefined].includes(statusOf(pid)?.state);
}

function statusOf(pid: number): { state: string; parent: number } | null {
  try {
    // "pid (name) state parent …"; the name may contain spaces and brackets. Source: proc_pid_stat(5).
    const fields = /.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return fields && { state: fields[1]!, parent: Number(fields[2]) };
  } catch {
    return null; // The process has ended meanwhile.
  }
}

/** Sends all signals before it waits for any, so that no process of a tree has time to clean up. */
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

/** Stops the server that a killed product leaves behind. */
async function endOrphanedServer(dir: string): Promise<void> {
  if (PostgresServer.runningAt(dir) === null) return;
  const pid = Number(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  process.kill(pid, 'SIGQUIT');
  await waitFor('the orphaned server to end', () => Promise.resolve(!existsSync(`/proc/${pid}`)));
}
