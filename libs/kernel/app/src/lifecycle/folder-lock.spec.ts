import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderLock } from './folder-lock.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry-lock-'));
  file = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the lock of another live process. */
function lockOf(pid: number): string {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return `${pid}\n${fields[19]}\nproduct\n`;
}

describe('a folder lock', () => {
  it('can be taken, and is free again after its release', async () => {
    const lock = await FolderLock.take(file, 'product', 0);
    expect(lock).toBeInstanceOf(FolderLock);
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^${process.pid}\n\\S+\nproduct\n$`));
    (lock as FolderLock).release();
    expect(await FolderLock.take(file, 'admin', 0)).toBeInstanceOf(FolderLock);
  });

  it('is not held by a dead process, nor by a later one with the same id', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const lock = lockOf(other.pid!);
    writeFileSync(file, lock.replace(/\n\d+\n/, '\n1\n'));
    expect(FolderLock.holder(file)).toBeNull();
    writeFileSync(file, lock);
    expect(FolderLock.holder(file)).toEqual({ pid: other.pid, role: 'product' });
    expect(await FolderLock.take(file, 'admin', 0)).toEqual({ pid: other.pid, role: 'product' });
    const gone = new Promise((resolve) => other.once('exit', resolve));
    const waiting = FolderLock.take(file, 'admin', 10_000);
    other.kill('SIGKILL');
    expect(await waiting).toBeInstanceOf(FolderLock);
    await gone;
  });
});
