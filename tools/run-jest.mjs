// Runs Jest as this repository needs it; arguments are passed to Jest. `npm test` builds first (test.mjs); Nx's targets, which
// know what has to be built, call this directly.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeOfProject } from './prepare.mjs';
import { endTreeWithThis, killTree } from './process-tree.mjs';

/** Messages of Jest when a test has left a timer, a socket or a process open. */
const LEAK = /failed to exit gracefully|Jest did not exit .* after/;
// Long enough for a worker to close its resources; a run that a leak keeps alive must still end.
const LINGER_MS = 20_000;

const args = process.argv.slice(2);
// Suites of whole processes take minutes and have their own commands: npm run test:e2e, test:processes, test:faults.
const projects = args.some((arg) => arg.startsWith('--selectProjects'))
  ? []
  : ['--selectProjects', 'unit', 'db'];
// Nx runs several targets at once, so each uses a single process.
const alone = process.env.NX_TASK_TARGET_PROJECT ? ['--runInBand'] : [];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const jest = spawn(
  nodeOfProject(root),
  // NestJS 12 has only ES modules, which Jest loads with this flag.
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    '--import=./tools/leave-at-exit.mjs',
    'node_modules/jest/bin/jest.js',
    ...projects,
    ...alone,
    ...args,
  ],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
    // In a separate process group: Ctrl-C would end only Jest, before its servers and apps can be found through it.
    detached: true,
    env: { ...process.env, ...(process.stderr.isTTY ? { FORCE_COLOR: '1' } : {}) },
  },
);
let hasLeak = false;
let lingering;
jest.stderr.on('data', (chunk) => {
  process.stderr.write(chunk);
  if (!LEAK.test(String(chunk))) return;
  hasLeak = true;
  // Including servers and workers that a failed test has left: they would disturb later runs.
  lingering ??= setTimeout(() => killTree(jest.pid), LINGER_MS);
});
endTreeWithThis(jest.pid);
jest.on('close', (code) => {
  clearTimeout(lingering);
  if (hasLeak) console.error('A test left something open; see the warning above. This counts as a failure.');
  // Without a code, Jest was ended by a signal.
  process.exit((code ?? 1) || (hasLeak ? 1 : 0));
});
