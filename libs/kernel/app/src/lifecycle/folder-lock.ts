import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;
/** Clearing a stale lock takes less than a millisecond; after a crash in between, its folder is removed after this time. */
const CLEARING_MS = 10_000;

/** Process that holds a lock. */
export interface LockHolder {
  pid: number;
  /** Kind of the holder, such as `product`. */
  role: string;
}

/**
 * A file that names the process that uses a folder. A killed holder leaves the file behind. Such a file is ignored,
 * because a process is identified by its id and its start time.
 */
export class FolderLock {
  private constructor(private readonly file: string) {}

  /**
   * Takes the lock, waiting up to `timeoutMs` for a holder that is about to exit.
   * @returns the lock, or its current holder
   */
  static async take(file: string, role: string, timeoutMs: number): Promise<FolderLock | LockHolder> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const holder = FolderLock.holder(file);
      if (holder === null) {
        if (publishLock(file, role)) return new FolderLock(file);
        if (clearLeft(file)) continue;
      } else if (performance.now() > deadline) {
        return holder;
      }
      await delay(POLL_MS);
    }
  }

  /** @returns the living process that holds a lock, or null */
  static holder(file: string): LockHolder | null {
    const content = contentOf(file);
    return content === null ? null : holderIn(content);
  }

  /** Releases the lock. */
  release(): void {
    if (contentOf(this.file)?.startsWith(`${process.pid}\n`)) rmSync(this.file, { force: true });
  }
}

/**
 * Creates the lock file atomically: a reader of a partial file would assume that its writer is gone.
 * @returns false if there is a lock already
 */
function publishLock(file: string, role: string): boolean {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, `${process.pid}\n${beganAt(process.pid)}\n${role}\n`);
  try {
    return isDone('EEXIST', () => linkSync(own, file));
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Removes a stale lock, one process at a time: meanwhile another process may have removed it and a third taken the lock.
 * @returns false while another process is clearing it
 */
function clearLeft(file: string): boolean {
  const clearing = `${file}.clearing`;
  if (isDone('EEXIST', () => mkdirSync(clearing))) {
    // If the file is missing, do not remove it either: it may have been created by then.
    const content = contentOf(file);
    if (content !== null && holderIn(content) === null) rmSync(file);
    rmdirSync(clearing);
    return true;
  }
  isDone('ENOENT', () => {
    if (Date.now() - statSync(clearing).mtimeMs > CLEARING_MS) rmdirSync(clearing);
  });
  return false;
}

/** @returns null if the process named in the lock is gone, or is this one */
function holderIn(content: string): LockHolder | null {
  const [pid = '', began = '', role = ''] = content.split('\n');
  if (!(Number(pid) > 0) || Number(pid) === process.pid) return null;
  return beganAt(Number(pid)) === began ? { pid: Number(pid), role } : null;
}

/** @returns null if the file does not exist */
function contentOf(file: string): string | null {
  let content: string | null = null;
  isDone('ENOENT', () => (content = readFileSync(file, 'utf8')));
  return content;
}

/** @returns false if the work failed with the code that a concurrent process can cause at any time */
function isDone(code: 'EEXIST' | 'ENOENT', work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}

/**
 * Returns the start time of a process. Process ids are reused, after a reboot often the same ones.
 * @returns null if there is no such process
 */
function beganAt(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null;
  }
  if (process.platform !== 'linux') return 'unknown';
  try {
    // proc(5): the 22nd field, counted from after the command name, which may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    // A zombie holds no resources.
    return fields[0] === 'Z' ? null : (fields[19] ?? 'unknown');
  } catch {
    return null;
  }
}
