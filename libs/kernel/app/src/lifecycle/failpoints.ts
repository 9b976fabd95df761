/** Hooks at named points of some work, at which a fault test can end, stop or delay the process. */
export interface Failpoints<Point extends string> {
  /**
   * Reports that the work has reached a point. The work continues when the promise resolves and fails when it rejects.
   * @param input of the work, so that a test can select a single piece of work
   */
  reach(point: Point, input?: Readonly<Record<string, unknown>>): Promise<void> | void;
}

/** Failpoints of production, which do nothing. */
const NO_FAILPOINTS: Failpoints<string> = Object.freeze({ reach: () => undefined });

/** Symbol of the failpoints that a module of the fault suite installs before the app (`node --import`). */
const PRELOADED = Symbol.for('quarry.failpoints');

/**
 * Returns the failpoints of this process: none, unless the fault suite started it. No environment variable can set
 * them, and no app contains the code that ends a process.
 */
export function createFailpoints<Point extends string>(): Failpoints<Point> {
  return (globalThis as { [PRELOADED]?: Failpoints<Point> })[PRELOADED] ?? NO_FAILPOINTS;
}
