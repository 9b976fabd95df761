import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { descendantsOf, isRunning } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..', '..');
const COPIED = [
  'apps',
  'libs',
  'bench',
  'tools',
  ...readdirSync(CHECKOUT).filter((name) => name.endsWith('.json')),
];
const PROJECTS = globSync('{apps/*,libs/*/*}/package.json', { cwd: CHECKOUT }).map((file) => dirname(file));
/** Milliseconds, including the first build of the copy. */
const READY_MS = 300_000;
const RESTART_MS = 60_000;
/** Main file of an app: its bundle, or its modules in development. */
const PROGRAM = /\/apps\/([\w-]+)\/dist\/(?:bundle\/)?main\.js\0$/;
const SLOW_MS = 420_000;

// The process tree is read from /proc, which only Linux has.
const onLinux = existsSync('/proc/self/stat') ? describe : describe.skip;

onLinux('npm run dev', () => {
  /** Copy of the checkout, because the test changes sources. */
  const copy = mkdtempSync(join(tmpdir(), 'quarry-dev-'));
  const changed = join(copy, 'libs/domains/runs/src/index.ts');
  const dataDir = join(copy, '.data');
  let npm: ChildProcess;
  let output = '';

  beforeAll(() => {
    for (const name of [...COPIED, '.swcrc'])
      cpSync(join(CHECKOUT, name), join(copy, name), {
        recursive: true,
        filter: (path) => !['dist', 'out-tsc', 'node_modules'].includes(basename(path)),
      });
    // The build generates sources of the SDK from it.
    mkdirSync(join(copy, 'docs'));
    cpSync(join(CHECKOUT, 'docs/openapi.json'), join(copy, 'docs/openapi.json'));
    linkPackages();
  });

  afterEach(() => {
    for (const pid of [npm.pid!, ...descendantsOf(npm.pid!)])
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  /** Links the packages of the checkout and the copy's own libraries. */
  function linkPackages(): void {
    const modules = join(copy, 'node_modules');
    mkdirSync(join(modules, '@quarry'), { recursive: true });
    for (const name of readdirSync(join(CHECKOUT, 'node_modules')))
      if (!['@quarry', '.cache', '.quarry-built'].includes(name))
        symlinkSync(join(CHECKOUT, 'node_modules', name), join(modules, name));
    for (const project of ['bench', 'tools', ...PROJECTS]) {
      const { name } = JSON.parse(readFileSync(join(copy, project, 'package.json'), 'utf8')) as {
        name: string;
      };
      symlinkSync(join(copy, project), join(modules, name));
      const own = join(CHECKOUT, project, 'node_modules');
      if (existsSync(own)) symlinkSync(own, join(copy, project, 'node_modules'));
    }
  }

  /** Starts npm as a terminal would: in its own process group, without the environment of these tests. */
  async function start(...args: string[]): Promise<void> {
    const { PATH = '', HOME = tmpdir() } = process.env;
    npm = spawn('npm', ['run', 'dev', '--', ...args], {
      cwd: copy,
      detached: true,
      env: { PATH, HOME, DATA_DIR: dataDir, PORT: '0', CI: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    output = '';
    for (const stream of [npm.stdout!, npm.stderr!])
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    await printed('Press Ctrl-C to stop.', READY_MS);
  }

  function printed(text: string, withinMs = RESTART_MS): Promise<unknown> {
    const shown = (): Promise<boolean> => {
      if (npm.exitCode !== null) throw new Error(`npm run dev ended with ${npm.exitCode}:\n${output}`);
      return Promise.resolve(output.includes(text));
    };
    return waitFor(`“${text}” in the output`, shown, withinMs);
  }

  /** Sends Ctrl-C to the whole foreground group, as a terminal does. @returns how npm ended, and the processes that remain */
  async function interrupted(): Promise<object> {
    const tree = descendantsOf(npm.pid!);
    const exit = once(npm, 'exit');
    process.kill(-npm.pid!, 'SIGINT');
    return {
      ended: await exit,
      left: tree.filter(isRunning),
      server: firstNumberIn('postgres/postmaster.pid'),
    };
  }

  function firstNumberIn(file: string): number | null {
    const path = join(dataDir, file);
    return existsSync(path) ? Number.parseInt(readFileSync(path, 'utf8'), 10) : null;
  }

  /** @returns the ids of the processes of an app */
  function processesOf(app: string): number[] {
    return descendantsOf(npm.pid!).filter((pid) => PROGRAM.exec(commandOf(pid))?.[1] === app);
  }

  function commandOf(pid: number): string {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return ''; // The process has ended meanwhile.
    }
  }

  it(
    'runs saved code in a new process with the same database, keeps the old one if it does not compile, exits cleanly',
    async () => {
      await start();
      const server = firstNumberIn('postgres/postmaster.pid');
      const first = firstNumberIn('quarry.pid')!;
      expect(isRunning(server!)).toBe(true);

      appendFileSync(changed, `\nprocess.stderr.write('The changed file runs.\\n');\n`);
      await printed('The changed file runs.');
      await printed('Started again in');
      printMeasurement(`npm run dev: ${/Started again in .*/.exec(output)![0]}`);
      const second = firstNumberIn('quarry.pid')!;
      expect(second).not.toBe(first);
      expect([first, second, server].map((pid) => isRunning(pid!))).toEqual([false, true, true]);
      expect(firstNumberIn('postgres/postmaster.pid')).toBe(server);

      appendFileSync(changed, 'export const =;\n');
      await printed('Syntax Error');
      expect(firstNumberIn('quarry.pid')).toBe(second);
      expect(isRunning(second)).toBe(true);

      expect(await interrupted()).toEqual({ ended: [0, null], left: [], server: null });
      expect(output).not.toMatch(/npm error|\n\s+at /);
    },
    SLOW_MS,
  );

  it(
    'restarts one service of a fleet, and no other',
    async () => {
      cpSync(join(CHECKOUT, 'libs/domains/runs/src/index.ts'), changed);
      await start('runs-agent');
      const before = processesOf('runs-agent');
      const others = [...processesOf('gateway'), ...processesOf('jobs-worker'), ...processesOf('tables')];
      // One answers calls, the other one performs runs.
      expect(before).toHaveLength(2);
      expect(others.length).toBeGreaterThan(3);

      writeFileSync(changed, readFileSync(changed, 'utf8'));
      await waitFor(
        'other processes of runs-agent',
        () => Promise.resolve(processesOf('runs-agent').filter((pid) => !before.includes(pid)).length === 2),
        RESTART_MS,
      );
      expect([...before, ...others].filter(isRunning)).toEqual(others);
      expect(await interrupted()).toEqual({ ended: [0, null], left: [], server: null });
    },
    SLOW_MS,
  );

  it('refuses an unknown service', async () => {
    npm = spawn(process.execPath, ['tools/dev.mjs', 'nobody'], {
      cwd: copy,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    output = '';
    npm.stderr!.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    expect(await once(npm, 'close')).toEqual([1, null]);
    expect(output).toBe(
      'npm run dev takes --inspect and one service: gateway, tables, runs-agent, jobs-worker.\n',
    );
  });
});
