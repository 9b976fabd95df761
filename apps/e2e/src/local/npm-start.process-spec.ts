import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendantsOf, isRunning } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..', '..');
const READY_LINE = 'Press Ctrl-C to stop.\n';
/** Milliseconds, including a build if another command has left the checkout unbuilt. */
const READY_MS = 120_000;
const END_MS = 30_000;
const SLOW_MS = 180_000;

interface Started {
  npm: ChildProcess;
  dataDir: string;
  output: () => string;
  /** Ids of all processes below npm when the start screen appeared. */
  tree: number[];
}

// The process tree is read from /proc, which only Linux has.
const onLinux = existsSync('/proc/self/stat') ? describe : describe.skip;

onLinux('npm start', () => {
  let started: Started | null = null;

  afterEach(() => {
    for (const pid of [started?.npm.pid ?? 0, ...(started?.tree ?? [])])
      if (pid > 0 && isRunning(pid)) process.kill(pid, 'SIGKILL');
    if (started) rmSync(started.dataDir, { recursive: true, force: true });
    started = null;
  });

  /** Starts npm as a terminal would: in its own process group, without the environment of these tests. */
  async function start(): Promise<Started> {
    const dataDir = mkdtempSync(join(tmpdir(), 'quarry-npm-'));
    const { PATH = '', HOME = tmpdir() } = process.env;
    const npm = spawn('npm', ['start'], {
      cwd: CHECKOUT,
      detached: true,
      env: { PATH, HOME, DATA_DIR: dataDir, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [npm.stdout, npm.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    started = { npm, dataDir, output: () => output, tree: [] };
    await waitFor(
      'the last line of the start screen',
      () => {
        if (npm.exitCode !== null) throw new Error(`npm start ended with ${npm.exitCode}:\n${output}`);
        return Promise.resolve(output.includes(READY_LINE));
      },
      READY_MS,
    );
    started.tree = descendantsOf(npm.pid!);
    expect(started.tree).toContain(serverPid(dataDir));
    return started;
  }

  function serverPid(dataDir: string): number | null {
    const file = join(dataDir, 'postgres', 'postmaster.pid');
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null;
  }

  it(
    'exits with code 0 at Ctrl-C, after all its child processes',
    async () => {
      const { npm, tree, dataDir, output } = await start();
      const exit = once(npm, 'exit');
      const from = performance.now();
      // A terminal sends Ctrl-C to the whole foreground group, not to one process.
      process.kill(-npm.pid!, 'SIGINT');
      const ended = await exit;
      const left = tree.filter(isRunning);
      printMeasurement(
        `npm start, Ctrl-C: ${tree.length + 1} processes ended after ${((performance.now() - from) / 1000).toFixed(1)} s`,
      );
      expect({ ended, left }).toEqual({ ended: [0, null], left: [] });
      expect(serverPid(dataDir)).toBeNull();
      expect(output()).not.toMatch(/npm error|\n\s+at /);
    },
    SLOW_MS,
  );

  it(
    'leaves no process behind if only npm is killed, and closes its database as at Ctrl-C',
    async () => {
      const { npm, tree, dataDir, output } = await start();
      const exit = once(npm, 'exit');
      const from = performance.now();
      npm.kill('SIGKILL');
      expect(await exit).toEqual([null, 'SIGKILL']);
      await waitFor('all below npm to end', () => Promise.resolve(!tree.some(isRunning)), END_MS);
      printMeasurement(
        `npm start, kill -9 of npm: ${tree.length} processes below it ended after ${((performance.now() - from) / 1000).toFixed(1)} s`,
      );
      // A server that was not shut down would leave its pid file.
      expect(serverPid(dataDir)).toBeNull();
      expect(output()).not.toMatch(/\n\s+at /);
    },
    SLOW_MS,
  );
});
