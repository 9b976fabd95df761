// The command of clients, from the checkout: builds what has changed, then runs it where it was called. See docs/command-line.md.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { nodeOfProject, prepare } from './prepare.mjs';

const root = await prepare();
const child = spawn(nodeOfProject(root), [join(root, 'apps/cli/dist/main.js'), ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? process.cwd(),
  stdio: 'inherit',
});
// Ctrl-C is for the command, which says what goes on.
process.on('SIGINT', () => undefined);
child.on('exit', (code) => process.exit(code ?? 1));
