// Builds what has changed and runs the suites; further arguments go to Jest: npm test -- --selectProjects unit
import { spawn } from 'node:child_process';
import { nodeOfProject, prepare } from './prepare.mjs';
import { killTree } from './process-tree.mjs';

/** What Jest says when a test left a timer, a socket or a process behind. */
const LEAK = /failed to exit gracefully|did not exit one second after/;
// Long enough for a worker to close what it has; a run that a leak keeps alive must still end.
const LINGER_MS = 20_000;

const args = process.argv.slice(2);
// The fault suite takes minutes, and the machine for itself: npm run test:faults.
const projects = args.some((arg) => arg.startsWith('--selectProjects'))
  ? []
  : ['--selectProjects', 'unit', 'db', 'e2e'];
const root = await prepare();
const jest = spawn(
  nodeOfProject(root),
  // NestJS 12 has ECMAScript modules only, which Jest loads through this switch.
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    '--import=./tools/leave-at-exit.mjs',
    'node_modules/jest/bin/jest.js',
    ...projects,
    ...args,
  ],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
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
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => jest.kill(signal));
jest.on('close', (code) => {
  clearTimeout(lingering);
  if (hasLeak) console.error('A test left something open; see the warning above. This counts as a failure.');
  // Without a code it was ended by a signal.
  process.exit((code ?? 1) || (hasLeak ? 1 : 0));
});
