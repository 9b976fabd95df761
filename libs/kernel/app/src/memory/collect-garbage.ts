import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collector: NodeJS.GCFunction | null = null;

/**
 * Collects what nobody holds any more, at once: some tens of milliseconds. For the moment after something very large has
 * been let go. V8 judges by how much was allocated and not by how much there is, so a process that takes one large body
 * after the other would keep several of them.
 */
export function collectGarbage(): void {
  exposedCollector()({ type: 'major' });
}

/** As {@link collectGarbage}, and gives the pages that are free then back to the system: some hundred milliseconds. */
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
