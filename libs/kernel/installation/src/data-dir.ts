import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FolderLock } from '@quarry/app';
import { lockFileOf } from './local-database.js';

/** An error that the operator must fix; the message says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Credentials that a new user needs to call the API. Source: docs/contract.md#7-operating-it. */
export interface Credentials {
  base_url: string;
  api_key: string;
  test_key: string;
  app_url: string;
  email: string;
  password: string;
}

const CREDENTIALS = 'credentials.json';

/** @returns the credentials that are stored in a data folder, with the addresses of the last start; null before the first */
export function readCredentials(dataDir: string): Credentials | null {
  const file = join(dataDir, CREDENTIALS);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : null;
}

/** Wait for a process that is about to end, or for an admin command, which holds the folder for a moment. */
const LOCK_TIMEOUT_MS = 3_000;

/** Data folder of a local installation, used by one process at a time. */
export class DataDir {
  private lock: FolderLock | null = null;

  private constructor(readonly path: string) {}

  /** Creates the folder and takes its lock; a stale lock is taken over. @throws StartError */
  static async open(path: string): Promise<DataDir> {
    const dir = new DataDir(resolve(path));
    try {
      makeFolder(dir.path);
      await dir.takeLock();
    } catch (error) {
      if (error instanceof StartError) throw error;
      throw new StartError(
        `The folder ${dir.path} ${faultOf(error as NodeJS.ErrnoException)}. Set DATA_DIR to a folder that you own.`,
        { cause: error },
      );
    }
    return dir;
  }

  /** Releases the lock. */
  close(): void {
    this.lock?.release();
  }

  /** @returns the stored credentials, or null before the first start */
  credentials(): Credentials | null {
    return readCredentials(this.path);
  }

  writeCredentials(credentials: Credentials): void {
    this.writePrivate(CREDENTIALS, `${JSON.stringify(credentials, null, 2)}\n`);
  }

  /** @returns the key that signs cursors, created at the first start */
  cursorSecret(): string {
    return this.readSecret('cursor.key');
  }

  /** @returns the secret with which processes of this installation sign their calls, created on first use */
  rpcSecret(): string {
    return this.readSecret('rpc.key');
  }

  /** @returns a password of 64 letters and digits for a server of this installation, created on first use */
  passwordOf(server: string): string {
    return this.readSecret(`${server}.key`);
  }

  /** @returns the key that encrypts secrets of organisations in the database, created at the first start */
  secretsKey(): string {
    return this.readSecret('secrets.key');
  }

  private readSecret(name: string): string {
    const file = this.pathOf(name);
    if (!existsSync(file)) this.writePrivate(name, randomBytes(32).toString('hex'));
    return readFileSync(file, 'utf8').trim();
  }

  private async takeLock(): Promise<void> {
    const taken = await FolderLock.take(lockFileOf(this.path), 'product', LOCK_TIMEOUT_MS);
    if (taken instanceof FolderLock) {
      this.lock = taken;
      return;
    }
    const who = taken.role === 'admin' ? 'An admin command is running' : 'Quarry is already running';
    throw new StartError(
      `${who} on ${this.path} (process ${taken.pid}). Use that one, stop it ("kill ${taken.pid}"), or set DATA_DIR to another folder.`,
    );
  }

  /** Writes a file atomically: a reader sees the old or the new text, also after a crash. */
  private writePrivate(name: string, text: string): void {
    const half = this.pathOf(`${name}.half`);
    rmSync(half, { force: true });
    writeFileSync(half, text, { mode: 0o600, flush: true });
    renameSync(half, this.pathOf(name));
  }

  private pathOf(name: string): string {
    return join(this.path, name);
  }
}

/** Creates a folder like `mkdir -p`. Node's own loops forever if a folder cannot be created, such as below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    return;
  }
  makeFolder(dirname(path));
  mkdirSync(path);
}

function faultOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'cannot be created, because a file has its name';
  if (code === 'ENOSPC') return 'cannot be written: the disk is full';
  return `cannot be written (${code ?? message})`;
}
