import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = '/usr/lib';

/**
 * Variables that put a process's wall clock ahead (behind when negative), by libfaketime. Its monotonic clock stays
 * true, as it does when an operator sets the time. As root on Debian a missing library is installed.
 * @throws Error saying in one sentence what to install
 */
export function shiftedClock(aheadSeconds: number): Record<string, string> {
  const library = libraryPath() ?? (install(), libraryPath());
  if (library === null) throw new Error('Tests with a wrong clock need the Debian package "libfaketime".');
  return {
    LD_PRELOAD: library,
    FAKETIME: `${aheadSeconds < 0 ? '-' : '+'}${Math.abs(aheadSeconds)}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
}

function libraryPath(): string | null {
  if (!existsSync(LIBRARIES)) return null;
  const found = readdirSync(LIBRARIES)
    .map((folder) => join(LIBRARIES, folder, 'faketime', 'libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
  return found ?? null;
}

function install(): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  try {
    execFileSync('apt-get', ['install', '-y', '-qq', 'libfaketime'], { stdio: 'ignore' });
  } catch {
    // The sentence above says what is missing, whatever apt found wrong.
  }
}
