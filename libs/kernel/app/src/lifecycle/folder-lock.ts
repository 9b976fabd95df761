import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;
/** Clearing a left lock takes less than a millisecond; one who died in it leaves its folder for this long. */
const CLEARING_MS = 10_000;

/** Process that holds a lock. */
export interface LockHolder {
  pid: number;
  /** Kind of the holder, such as `product`. */
  role: string;
}

/**
 * A file that says which process works on a folder. A holder that was killed leaves the file behind; it counts
 * for nothing, because a process is known by its id and the moment it began.
 */
export class FolderLock {
  private constructor(private readonly file: string) {}

  /**
   * Takes the lock, waiting up to `timeoutMs` for a holder that is just ending.
   * @returns the lock, or who holds it
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

  /** Gives the lock back. */
  release(): void {
    if (contentOf(this.file)?.startsWith(`${process.pid}\n`)) rmSync(this.file, { force: true });
  }
}

/**
 * Appears whole or not at all: who finds it half written would take its writer for gone.
 * @returns false when there is a lock already
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
 * One at a time, who looks again: another one may have cleared it, and a third have taken the lock since.
 * @returns false while another process is at it
 */
function clearLeft(file: string): boolean {
  const clearing = `${file}.clearing`;
  if (isDone('EEXIST', () => mkdirSync(clearing))) {
    // A missing file must not be removed either: it may be there by then.
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

/** @returns null when the process that a lock names is gone, or is this one */
function holderIn(content: string): LockHolder | null {
  const [pid = '', began = '', role = ''] = content.split('\n');
  if (!(Number(pid) > 0) || Number(pid) === process.pid) return null;
  return beganAt(Number(pid)) === began ? { pid: Number(pid), role } : null;
}

/** @returns null when there is no such file */
function contentOf(file: string): string | null {
  let content: string | null = null;
  isDone('ENOENT', () => (content = readFileSync(file, 'utf8')));
  return content;
}

/** @returns false when the work failed in the way that another process may cause at any moment */
function isDone(code: 'EEXIST' | 'ENOENT', work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}

/** Ids are given again, after a restart of the machine even the same ones. @returns null when there is none */
function beganAt(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null;
  }
  if (process.platform !== 'linux') return 'unknown';
  try {
    // proc(5): the 22nd field, counted from behind the command name, which may hold blanks.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    // A zombie holds nothing any more.
    return fields[0] === 'Z' ? null : (fields[19] ?? 'unknown');
  } catch {
    return null;
  }
}
