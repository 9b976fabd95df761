import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;

/** Who holds a lock. */
export interface LockHolder {
  pid: number;
  /** What the holder is, such as `product`. */
  role: string;
}

/**
 * A file that says which process works on a folder. A holder that was killed leaves the file behind; it counts
 * for nothing, because a process is known by its id and the moment it began.
 */
export class FolderLock {
  private constructor(private readonly file: string) {}

  /**
   * Takes the lock, waiting up to `patienceMs` for a holder that is just ending.
   * @returns the lock, or who holds it
   */
  static async take(file: string, role: string, patienceMs: number): Promise<FolderLock | LockHolder> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const holder = FolderLock.holder(file);
      if (holder === null) {
        rmSync(file, { force: true });
        if (written(file, role)) return new FolderLock(file);
      } else if (performance.now() > deadline) {
        return holder;
      }
      await delay(POLL_MS);
    }
  }

  /** @returns the living process that holds a lock, or null */
  static holder(file: string): LockHolder | null {
    const [pid = '', began = '', role = ''] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    if (!(Number(pid) > 0) || Number(pid) === process.pid) return null;
    return beganAt(Number(pid)) === began ? { pid: Number(pid), role } : null;
  }

  /** Gives the lock back. */
  release(): void {
    const isOwn = existsSync(this.file) && readFileSync(this.file, 'utf8').startsWith(`${process.pid}\n`);
    if (isOwn) rmSync(this.file, { force: true });
  }
}

/** @returns false when another process was quicker */
function written(file: string, role: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n${beganAt(process.pid)}\n${role}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
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
