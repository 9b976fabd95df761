// Builds what has changed, then runs an app of apps/ until it ends, and passes signals on.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { MALLOC, nodeFlagsOf, programOf } from './node-flags.mjs';
import { nodeOfProject, prepare } from './prepare.mjs';

const PARENT_POLL_MS = 500;

/**
 * Never returns: this process ends with the app's code.
 * @param {string} app its folder in apps/
 * @param {string[]} args given to the app; none where they are left out
 */
export async function runApp(app, args = []) {
  const root = await prepare();
  const child = spawn(nodeOfProject(root), [...nodeFlagsOf(app), programOf(app), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...compileCache(root), ...MALLOC, ...process.env },
  });
  // A terminal signals the child as well, other senders reach only this process; the child takes two for one.
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

/** Returns the variable of Node's compile cache, so that code is not compiled at every start; gone with node_modules. */
export function compileCache(root) {
  return { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'quarry-compiled') };
}

/** An npm that is killed passes no signal on, so that its child looks whether its parent still lives. */
export function endWithNpm(end) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), PARENT_POLL_MS).unref();
}
