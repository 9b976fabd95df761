/** Told of moments in the life of some work as they are reached, at which a fault test may end, stop or delay a process. */
export interface Failpoints<Point extends string> {
  /**
   * Work goes on when the answer resolves, and fails as the answer fails.
   * @param input of the work, so that a test can choose one piece of it among others
   */
  reach(point: Point, input?: Readonly<Record<string, unknown>>): Promise<void> | void;
}

/** The failpoints of production, which do nothing. */
export const NO_FAILPOINTS: Failpoints<string> = Object.freeze({ reach: () => undefined });

/** Symbol of the failpoints that a module of the fault suite sets before the app (`node --import`). */
const PRELOADED = Symbol.for('quarry.failpoints');

/**
 * The failpoints of this process: none, unless the fault suite started it. There is no variable that could set
 * them, and the code that ends a process is not part of any app.
 */
export function createFailpoints<Point extends string>(): Failpoints<Point> {
  return (globalThis as { [PRELOADED]?: Failpoints<Point> })[PRELOADED] ?? NO_FAILPOINTS;
}
