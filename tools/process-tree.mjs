// Ends a process with all that it has started, whatever group or session they have put themselves in.
import { execFileSync } from 'node:child_process';
import { constants } from 'node:os';

const PARENT_POLL_MS = 500;

/** Kills a process and its descendants. Those whose parent has ended already are nobody's, and are not found. */
export function killTree(root) {
  // The whole tree before anything of it: what loses its parent can no longer be found.
  for (const pid of [root, ...descendantsOf(root)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/**
 * Ends a process with all that it has started when this one is told to end, or loses the npm that started it: an npm
 * that is killed tells nobody. Ends this process with 128 and the number of the signal, as a shell does.
 */
export function endTreeWithThis(root) {
  const end = (code) => {
    killTree(root);
    process.exit(code);
  };
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'])
    process.on(signal, () => end(128 + constants.signals[signal]));
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event !== undefined)
    setInterval(() => process.ppid !== parent && end(1), PARENT_POLL_MS).unref();
}

/** @returns ids of all that a process has started, and they in turn */
function descendantsOf(root) {
  const pairs = listed().map((row) => row.trim().split(/\s+/).map(Number));
  const below = (pid) =>
    pairs.filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...below(child)]);
  return below(root);
}

/** @returns "pid parent" of every process; none where there is no ps */
function listed() {
  try {
    return execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  } catch {
    return [];
  }
}
