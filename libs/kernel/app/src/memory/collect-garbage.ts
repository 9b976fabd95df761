import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collector: (() => void) | null = null;

/**
 * Collects what nobody holds any more, at once: some tens of milliseconds. For the moment after something very large has
 * been let go. V8 judges by how much was allocated and not by how much there is, so a process that takes one large body
 * after the other would keep several of them.
 */
export function collectGarbage(): void {
  if (collector === null) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
  }
  collector();
}
