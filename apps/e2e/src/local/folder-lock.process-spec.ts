import { expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderLock } from '@quarry/app';

/** Takes the lock repeatedly, reports when another process has it too, and every other time leaves it as a kill would. */
const TAKER = `
import { mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { FolderLock } from '@quarry/app';
const [file] = process.argv.slice(1);
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

/** Runs a process that takes the lock forty times. @returns its exit code and its output */
function taker(file: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', TAKER, file], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

it('a folder lock has one holder at a time, even if many processes take it and crash', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-lock-'));
  const file = join(folder, 'lock');
  const ends = await Promise.all(Array.from({ length: 8 }, () => taker(file)));
  expect(ends).toEqual(ends.map(() => ({ code: 0, output: '' })));
  expect(readdirSync(folder)).toEqual(['lock']);
  expect(FolderLock.holder(file)).toBeNull();
  rmSync(folder, { recursive: true, force: true });
});
