import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@quarry/test-servers';

const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: import.meta.dirname });
/** A process that only sleeps, in its own session, like a server that must not receive Ctrl-C. */
const SLEEPER = `
  const { spawn } = require('node:child_process');
  const sleeper = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600000)'], { detached: true, stdio: 'ignore' });
  console.log(String(sleeper.pid));
  setTimeout(() => {}, 600000);`;

/** Program that starts the runner as npm does, without passing signals on. */
const NPM = `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, ['within.mjs', '5', process.execPath, '-e', ${JSON.stringify(SLEEPER)}], {
    stdio: 'inherit', env: { ...process.env, npm_lifecycle_event: 'test' } });`;

/** Returns true for a running process; a killed one that its parent has not reaped yet is dead. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)]);
  return /^[^Z\s]/.test(String(stdout));
}

/** Waits for the end of a killed process, which takes a moment. */
const untilEnded = (pid: number) => waitFor('the sleeper to end', () => Promise.resolve(!isAlive(pid)));

describe('the test runner', () => {
  it('exits with the code set by an exit listener, like that of a failed test', () => {
    const failing = "process.on('exit', () => { process.exitCode = 3; });";
    expect(node('--import=./leave-at-exit.mjs', '-e', failing).status).toBe(3);
    expect(node('--import=./leave-at-exit.mjs', '-e', '').status).toBe(0);
  });

  it('passes on an exit code within its time limit', () => {
    expect(node('within.mjs', '1', process.execPath, '-e', 'process.exit(7)').status).toBe(7);
  });

  it('ends a command that takes too long with all its children, and exits with a code for that', async () => {
    const limited = spawn(process.execPath, ['within.mjs', '0.1', process.execPath, '-e', SLEEPER], {
      cwd: import.meta.dirname,
    });
    const [line] = (await once(limited.stdout, 'data')) as [Buffer];
    const sleeper = Number(String(line));
    expect(isAlive(sleeper)).toBe(true);
    const [code] = (await once(limited, 'exit')) as [number];
    expect(code).toBe(124);
    await untilEnded(sleeper);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('ends all its children when it receives %s', async (signal, expected) => {
    const runner = spawn(process.execPath, ['within.mjs', '5', process.execPath, '-e', SLEEPER], {
      cwd: import.meta.dirname,
    });
    const [line] = (await once(runner.stdout, 'data')) as [Buffer];
    runner.kill(signal);
    const [code] = (await once(runner, 'exit')) as [number];
    expect(code).toBe(expected);
    await untilEnded(Number(String(line)));
  });

  it('ends all its children when the parent npm is killed', async () => {
    const npm = spawn(process.execPath, ['-e', NPM], { cwd: import.meta.dirname });
    const [line] = (await once(npm.stdout, 'data')) as [Buffer];
    npm.kill('SIGKILL');
    await untilEnded(Number(String(line)));
  });
});
