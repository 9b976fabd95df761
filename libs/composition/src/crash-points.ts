import { NO_CRASH_POINTS, type CrashPoints } from '@quarry/service-jobs';

/** Where a module of the fault suite, loaded before the app (`node --import`), leaves its crash points. */
const PRELOADED = Symbol.for('quarry.crash-points');

/**
 * The crash points of this process: none, unless the fault suite started it. There is no variable that could set
 * them, and the code that ends a process is not part of any app.
 */
export function crashPoints(): CrashPoints {
  return (globalThis as { [PRELOADED]?: CrashPoints })[PRELOADED] ?? NO_CRASH_POINTS;
}
