import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FolderLock } from './folder-lock.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry-lock-'));
  file = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the lock of a living process as that process would have. */
function lockOf(pid: number): string {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return `${pid}\n${fields[19]}\nproduct\n`;
}

/** Takes the lock again and again, says so when it is not alone, and leaves it as a kill would every other time. */
const TAKER = `
import { mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
const [module, file] = process.argv.slice(1);
const { FolderLock } = await import(module);
for (let time = 0; time < 40; time += 1) {
  const lock = await FolderLock.take(file, 'admin', 60_000);
  mkdirSync(file + '-inside');
  await new Promise((resolve) => setTimeout(resolve, 5));
  rmdirSync(file + '-inside');
  if (time % 2 === 0) lock.release();
  else {
    writeFileSync(file + '-left-' + process.pid, '4194305\\n1\\nadmin\\n');
    renameSync(file + '-left-' + process.pid, file);
  }
}`;

/** @returns how a process that takes the lock forty times ended, and what it said */
function taker(): Promise<{ code: number | null; said: string }> {
  const module = fileURLToPath(new URL('../../dist/lifecycle/folder-lock.js', import.meta.url));
  const args = ['--input-type=module', '-e', TAKER, module, file];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}

describe('the lock of a folder', () => {
  it('is taken, and free again once it is given back', async () => {
    const lock = await FolderLock.take(file, 'product', 0);
    expect(lock).toBeInstanceOf(FolderLock);
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^${process.pid}\n\\S+\nproduct\n$`));
    (lock as FolderLock).release();
    expect(await FolderLock.take(file, 'admin', 0)).toBeInstanceOf(FolderLock);
  });

  it('is not held by a process that is gone, nor by a later one with the same id', async () => {
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

  it('has one holder at a time, however many processes want it and leave it behind', async () => {
    const ends = await Promise.all(Array.from({ length: 8 }, taker));
    expect(ends).toEqual(ends.map(() => ({ code: 0, said: '' })));
    expect(readdirSync(folder)).toEqual(['lock']);
    expect(FolderLock.holder(file)).toBeNull();
  });
});
