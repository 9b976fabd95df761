import type { ChildProcess } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { clusterSecretOf, makeClusterSecret, rolePassword, writeAccessRules } from './cluster-secret.js';
import { freePort } from './free-ports.js';
import { waitForExit, lastLine, launchProgram } from './launch-program.js';
import { findPrograms, type PostgresPrograms } from './postgres-programs.js';
import { PostgresServerError } from './postgres-server.error.js';
import { accountForRoot, type Account } from './unprivileged-account.js';

export interface PostgresServerOptions {
  /** Folder of the cluster; created and initialised if it does not exist. */
  dir: string;
  /** Port on 127.0.0.1; 0 selects a free one. */
  port?: number;
  /** Extra server settings, `name=value`. */
  settings?: string[];
  /** Called with one line for each slow step. */
  onProgress?: (line: string) => void;
}

/** Time without log output after which a starting server counts as stuck; a long recovery logs every 10 s. */
const START_SILENCE_MS = 30_000;
const STOP_TIMEOUT_MS = 20_000;
const SUPERUSER = 'quarry';
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'logging_collector=off',
  // A table that was just filled has no statistics until then, and its plans are guesses.
  'autovacuum_naptime=10s',
];

/**
 * A PostgreSQL 18 cluster of our own from the binaries in the npm package, on loopback, with a password that only the
 * account of the product can read. Not the package's class, because that neither cleans up after a killed parent nor
 * starts as root below a private folder (docs/adr/0004).
 */
export class PostgresServer {
  private isStopping = false;

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    readonly dir: string,
  ) {}

  /** Returns the address of a database of this cluster for its superuser or another role, with the role's password. */
  url(database: string, role = SUPERUSER): string {
    return urlOf(this.dir, this.port, database, role);
  }

  /** Returns the password of a role of this cluster, to be set when the role is created. */
  passwordOf(role: string): string {
    return passwordOf(this.dir, role);
  }

  /** Like {@link url}, for the server that currently runs on a folder. @returns null if none runs */
  static urlAt(folder: string, database: string, role = SUPERUSER): string | null {
    const port = PostgresServer.runningAt(folder);
    return port === null ? null : urlOf(realpathSync(folder), port, database, role);
  }

  /** @returns the port of the server that currently runs on a folder, or null */
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
   * Initialises the cluster if necessary, ends a server that a killed parent left behind, and starts it.
   * @throws PostgresServerError that says what is wrong and what to do
   */
  static async start(options: PostgresServerOptions): Promise<PostgresServer> {
    const account = process.getuid?.() === 0 ? accountForRoot(options.dir) : null;
    const programs = await findPrograms(account);
    // The real path, because a server is identified by its working folder.
    const dir = prepareFolder(options.dir, account);
    if (!existsSync(join(dir, 'PG_VERSION'))) {
      options.onProgress?.('Creating the database cluster …');
      await initialiseCluster(programs, dir, account);
    }
    refuseOtherVersion(dir, programs.major);
    await endLeftover(dir);
    if (clusterSecretOf(dir) === null) await makeClusterSecret(programs, dir, SUPERUSER, account);
    writeAccessRules(dir, account);
    const port = options.port || (await freePort());
    const child = launchProgram(programs.postgres, {
      args: (folder) => [
        '-D',
        folder,
        '-p',
        String(port),
        '-k',
        '',
        ...[...SETTINGS, ...(options.settings ?? [])].flatMap((setting) => ['-c', setting]),
      ],
      dir,
      account,
      // Own process group: Ctrl-C reaches only us, and we stop the server after our own work has ended.
      detached: true,
    });
    const server = new PostgresServer(child, port, dir);
    await waitUntilReady(child, options.onProgress);
    return server;
  }

  /** Calls the listener once if the server ends without being stopped. */
  onLost(listener: (how: string) => void): void {
    this.child.once('exit', (code, signal) => {
      if (!this.isStopping) listener(signal ?? `code ${code}`);
    });
  }

  /** Stops the server with a fast shutdown, which disconnects sessions. */
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

function passwordOf(dir: string, role: string): string {
  const secret = clusterSecretOf(dir);
  if (secret === null) throw new PostgresServerError(`The password of the cluster ${dir} is missing.`);
  return role === SUPERUSER ? secret : rolePassword(secret, role);
}

function urlOf(dir: string, port: number, database: string, role: string): string {
  return `postgres://${role}:${passwordOf(dir, role)}@127.0.0.1:${port}/${database}`;
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

async function initialiseCluster(
  programs: PostgresPrograms,
  dir: string,
  account: Account | null,
): Promise<void> {
  const found = readdirSync(dir).filter((name) => name !== 'lost+found');
  if (found.length > 0) {
    throw new PostgresServerError(
      `The folder ${dir} has files that are not a PostgreSQL cluster (${found.slice(0, 3).join(', ')}). Move them away, or set DATA_DIR to another folder.`,
    );
  }
  // Under a temporary name: a cluster whose initdb was interrupted looks complete but never starts.
  const half = `${dir}.half`;
  rmSync(half, { recursive: true, force: true });
  prepareFolder(half, account);
  const child = launchProgram(programs.initdb, {
    args: (folder) => [
      '-D',
      folder,
      '-U',
      SUPERUSER,
      // No access until the superuser has a password.
      '--auth=reject',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--lc-messages=C',
      '--no-instructions',
    ],
    dir: half,
    account,
  });
  const { code, stderr } = await waitForExit(child);
  if (code === 0) return renameSync(half, dir);
  rmSync(half, { recursive: true, force: true });
  throw new PostgresServerError(`The database cluster could not be created in ${dir}: ${lastLine(stderr)}`);
}

/** Ends the server that a killed parent left running, because it holds the folder. */
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

/** Checks that the process is a postgres on this folder: pids are reused, so a live pid proves nothing. */
function isServerOf(pid: number, dir: string): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is alive, under another account.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    // The working directory of a server is its folder, under whatever path it was started.
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return (args[0] ?? '').includes('postgres') && readlinkSync(`/proc/${pid}/cwd`) === dir;
  } catch {
    return false; // The process has ended meanwhile.
  }
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
      fail(
        `PostgreSQL is starting, but has logged nothing for ${START_SILENCE_MS / 1000} s: ${lastLine(log)}`,
      );
    }, START_SILENCE_MS);
    child.once('error', (error) => fail(`PostgreSQL could not be started: ${error.message}`));
    child.once('exit', (code) => fail(`PostgreSQL ended at start with code ${code}: ${lastLine(log)}`));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      // Keeps the tail only, because the server logs as long as it runs.
      log = (log + chunk).slice(-4000);
      if (isReady) return;
      timer.refresh();
      if (chunk.includes('not properly shut down'))
        onProgress?.('PostgreSQL was not shut down properly; it recovers its files first …');
      if (!log.includes('database system is ready to accept connections')) return;
      isReady = true;
      clearTimeout(timer);
      child.unref();
      (child.stderr as unknown as { unref?: () => void }).unref?.();
      resolve();
    });
  });
}

/** Rejects a folder of another major version. @throws PostgresServerError that says how to migrate */
function refuseOtherVersion(dir: string, major: string): void {
  const made = readFileSync(join(dir, 'PG_VERSION'), 'utf8').trim();
  if (made === major) return;
  throw new PostgresServerError(
    `The database in ${dir} was created by PostgreSQL ${made}, but this version of Quarry includes PostgreSQL ${major}. Write a backup with the version of Quarry that made it (npm run admin -- backup --file F), set DATA_DIR to an empty folder, and restore it there (npm run admin -- restore --file F).`,
  );
}
