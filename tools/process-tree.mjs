// Ends a process and everything that it has started, whatever group or session they are in.
import { execFileSync } from 'node:child_process';
import { constants } from 'node:os';

const PARENT_POLL_MS = 500;

/** Kills a process and its descendants. Processes whose parent has already ended are not found. */
export function killTree(root) {
  // The whole tree is read first: a process that loses its parent can no longer be found.
  for (const pid of [root, ...descendantsOf(root)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended by itself.
    }
  }
}

/** Ends this process when its npm has ended: a killed npm passes no signal on, so the child polls its parent. */
export function endWithNpm(end) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), PARENT_POLL_MS).unref();
}

/**
 * Ends a process tree when this process gets a signal, or when the npm that started it ends. Exits with 128 plus the number of
 * the signal, as a shell does.
 */
export function endTreeWithThis(root) {
  const end = (code) => {
    killTree(root);
    process.exit(code);
  };
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'])
    process.on(signal, () => end(128 + constants.signals[signal]));
  endWithNpm(() => end(1));
}

/** @returns the ids of all descendants of a process */
function descendantsOf(root) {
  const pairs = listed().map((row) => row.trim().split(/\s+/).map(Number));
  const below = (pid) =>
    pairs.filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...below(child)]);
  return below(root);
}

/** @returns "pid parent" of every process; nothing when there is no ps */
function listed() {
  try {
    return execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  } catch {
    return [];
  }
}
