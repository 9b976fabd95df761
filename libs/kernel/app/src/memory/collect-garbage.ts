import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collector: NodeJS.GCFunction | null = null;

/**
 * Runs a garbage collection, which takes some tens of milliseconds. For the moment after a very large object was
 * released: V8 decides by allocation volume, not by live memory, so a process that handles large bodies in sequence would
 * keep several of them.
 */
export function collectGarbage(): void {
  exposedCollector()({ type: 'major' });
}

/** Runs a garbage collection like {@link collectGarbage}, and returns free pages to the system: some hundred milliseconds. */
export function releaseMemory(): void {
  exposedCollector()({ type: 'major', flavor: 'last-resort' });
}

function exposedCollector(): NodeJS.GCFunction {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as NodeJS.GCFunction;
  }
  return collector;
}
