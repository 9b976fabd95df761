// Runs Jest as this repository needs it; arguments go to Jest. `npm test` builds first (test.mjs); Nx's targets, which know
// what has to be built, come here directly.
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeOfProject } from './prepare.mjs';
import { endTreeWithThis, killTree } from './process-tree.mjs';

/** Messages of Jest when a test left a timer, a socket or a process behind. */
const LEAK = /failed to exit gracefully|Jest did not exit .* after/;
// Long enough for a worker to close what it has; a run that a leak keeps alive must still end.
const LINGER_MS = 20_000;

const args = process.argv.slice(2);
// Suites of whole processes take minutes and have their own commands: npm run test:e2e, test:processes, test:faults.
const projects = args.some((arg) => arg.startsWith('--selectProjects'))
  ? []
  : ['--selectProjects', 'unit', 'db'];
// Nx runs several targets at once, so none of them spreads itself.
const alone = process.env.NX_TASK_TARGET_PROJECT ? ['--runInBand'] : [];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const jest = spawn(
  nodeOfProject(root),
  // NestJS 12 has ECMAScript modules only, which Jest loads through this switch.
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
    // In a group of its own: Ctrl-C would end Jest alone, before its servers and apps can be found through it.
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
  // With the servers and workers that a failed test has left: they would run on beside whatever comes next.
  lingering ??= setTimeout(() => killTree(jest.pid), LINGER_MS);
});
endTreeWithThis(jest.pid);
jest.on('close', (code) => {
  clearTimeout(lingering);
  if (hasLeak) console.error('A test left something open; see the warning above. This counts as a failure.');
  // Without a code it was ended by a signal.
  process.exit((code ?? 1) || (hasLeak ? 1 : 0));
});
