// Brings the product up from a fresh clone: installs what is missing, builds what has changed, then hands over.
// Uses nothing but Node itself, because it runs before anything is installed.
import { spawn } from 'node:child_process';
import { prepare, nodeOfProject } from './prepare.mjs';

const root = await prepare();
const child = spawn(
  nodeOfProject(root),
  ['--enable-source-maps', 'apps/local/dist/main.js', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
// A terminal sends its Ctrl-C to the child as well; other senders reach only this process.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => process.stdin.isTTY || child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
