import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Something that the operator must put right; the message says what. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** What a stranger needs to call the API. Source: contract decisions, section 7. */
export interface Credentials {
  base_url: string;
  api_key: string;
  test_key: string;
  app_url: string;
  email: string;
  password: string;
}

/** The folder that a local installation lives in, held by one process at a time. */
export class DataDir {
  private constructor(readonly path: string) {}

  /** Makes the folder and takes its lock; a lock whose process is gone is taken over. @throws StartError */
  static open(path: string): DataDir {
    const dir = new DataDir(resolve(path));
    try {
      mkdirSync(dir.path, { recursive: true });
      dir.lock();
    } catch (error) {
      if (error instanceof StartError) throw error;
      throw new StartError(
        `The folder ${dir.path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'error'}). Set DATA_DIR to a folder that you own.`,
        {
          cause: error,
        },
      );
    }
    return dir;
  }

  /** Gives the lock back. */
  close(): void {
    if (this.holder() === process.pid) rmSync(this.file('quarry.pid'), { force: true });
  }

  /** @returns the stored credentials, or null before the first start */
  credentials(): Credentials | null {
    const file = this.file('credentials.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : null;
  }

  writeCredentials(credentials: Credentials): void {
    this.writePrivate('credentials.json', `${JSON.stringify(credentials, null, 2)}\n`);
  }

  /** @returns the key that signs cursors, made at the first start */
  cursorSecret(): string {
    const file = this.file('cursor.key');
    if (!existsSync(file)) this.writePrivate('cursor.key', randomBytes(32).toString('hex'));
    return readFileSync(file, 'utf8').trim();
  }

  private lock(): void {
    const holder = this.holder();
    if (holder !== null && holder !== process.pid && isQuarry(holder)) {
      throw new StartError(
        `Quarry runs already on ${this.path} (process ${holder}). Use that one, stop it ("kill ${holder}"), or set DATA_DIR to another folder.`,
      );
    }
    writeFileSync(this.file('quarry.pid'), String(process.pid));
  }

  private holder(): number | null {
    const file = this.file('quarry.pid');
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) || null : null;
  }

  private writePrivate(name: string, text: string): void {
    rmSync(this.file(name), { force: true });
    writeFileSync(this.file(name), text, { mode: 0o600 });
  }

  private file(name: string): string {
    return join(this.path, name);
  }
}

/** Process ids are given again after a kill, so a living one must also look like this program. */
function isQuarry(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const commandLine = `/proc/${pid}/cmdline`;
  return !existsSync(commandLine) || readFileSync(commandLine, 'utf8').includes('main.js');
}
