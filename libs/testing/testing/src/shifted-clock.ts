import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installDebianPackages } from '@quarry/test-servers';

const LIBRARIES = '/usr/lib';

/** A wall clock that a test changes while processes use it. */
export class JumpingClock {
  private readonly dir = mkdtempSync(join(tmpdir(), 'quarry-clock-'));
  readonly file = join(this.dir, 'ahead');

  constructor(aheadSeconds: number) {
    this.set(aheadSeconds);
  }

  /** Sets it ahead of the real time, or behind if negative. */
  set(aheadSeconds: number): void {
    // Processes read the file at every clock reading, and must never find it empty.
    writeFileSync(`${this.file}.new`, offset(aheadSeconds));
    renameSync(`${this.file}.new`, this.file);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true });
  }
}

/**
 * Returns variables that set a process's wall clock ahead (behind if negative), by libfaketime. Its monotonic clock stays
 * right, as when an operator sets the time. As root on Debian a missing library is installed.
 * @throws Error saying in one sentence what to install
 */
export function shiftedClock(ahead: number | JumpingClock): Record<string, string> {
  const library = libraryPath() ?? (installDebianPackages('libfaketime'), libraryPath());
  if (library === null) throw new Error('Tests with a wrong clock need the Debian package "libfaketime".');
  return {
    LD_PRELOAD: library,
    ...(typeof ahead === 'number'
      ? { FAKETIME: offset(ahead) }
      : { FAKETIME_TIMESTAMP_FILE: ahead.file, FAKETIME_NO_CACHE: '1' }),
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
}

function offset(seconds: number): string {
  return `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`;
}

function libraryPath(): string | null {
  if (!existsSync(LIBRARIES)) return null;
  const found = readdirSync(LIBRARIES)
    .map((folder) => join(LIBRARIES, folder, 'faketime', 'libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
  return found ?? null;
}
