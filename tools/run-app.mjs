// Builds the changed packages, then runs an app of apps/ until it ends, and passes signals on.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { MALLOC, nodeFlagsOf, programOf } from './node-flags.mjs';
import { nodeOfProject, prepare } from './prepare.mjs';
import { endWithNpm } from './process-tree.mjs';
import { recordProduct } from './running-product.mjs';

/**
 * Runs an app. Never returns: this process exits with the app's code.
 * @param {string} app folder name in apps/
 * @param {string[]} args arguments for the app; none by default
 */
export async function runApp(app, args = []) {
  const root = await prepare();
  recordProduct(root);
  const child = spawn(nodeOfProject(root), [...nodeFlagsOf(app), programOf(app), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...compileCache(root), ...MALLOC, ...process.env },
  });
  // A terminal also signals the child, other senders only this process; the child treats two signals as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  endWithNpm(() => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`The product could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (signal !== null) console.error(`The product was ended by ${signal}.`);
    process.exit(code ?? 1);
  });
}

/** Returns the variable of Node's compile cache, which saves compiling at every start; deleted with node_modules. */
export function compileCache(root) {
  return { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'quarry-compiled') };
}
