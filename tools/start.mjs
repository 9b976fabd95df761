// Brings the product up from a fresh clone: installs what is missing, builds what has changed, then hands over.
// Uses nothing but Node itself, because it runs before anything is installed.
import { spawn } from 'node:child_process';
import { nodeFlagsOf } from './node-flags.mjs';
import { prepare, nodeOfProject } from './prepare.mjs';

const PARENT_POLL_MS = 500;

const root = await prepare();
const child = spawn(
  nodeOfProject(root),
  [...nodeFlagsOf('local'), 'apps/local/dist/main.js', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
// A terminal signals the child as well, other senders reach only this process; the child takes two for one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
endWithNpm();
child.on('error', (error) => {
  console.error(`The product could not be started: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal !== null) console.error(`The product was ended by ${signal}.`);
  process.exit(code ?? 1);
});

/** An npm that is killed cannot tell anybody, so its child looks whether it still has its parent. */
function endWithNpm() {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), PARENT_POLL_MS).unref();
}
