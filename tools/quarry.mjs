// The client command from the checkout: builds the changed packages, then runs it in the caller's folder.
// See docs/command-line.md.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { nodeOfProject, prepare } from './prepare.mjs';

const root = await prepare();
const child = spawn(nodeOfProject(root), [join(root, 'apps/cli/dist/main.js'), ...process.argv.slice(2)], {
  cwd: process.env.INIT_CWD ?? process.cwd(),
  stdio: 'inherit',
});
// Ctrl-C is handled by the command, which prints what continues.
process.on('SIGINT', () => undefined);
child.on('exit', (code) => process.exit(code ?? 1));
