/** Told of moments in the life of some work as they are reached, at which a fault test may end, stop or delay a process. */
export interface CrashPoints<Point extends string> {
  /**
   * Work goes on when the answer resolves, and fails as the answer fails.
   * @param input of the work, so that a test can choose one piece of it among others
   */
  reach(point: Point, input?: Readonly<Record<string, unknown>>): Promise<void> | void;
}

/** The crash points of production, which do nothing. */
export const NO_CRASH_POINTS: CrashPoints<string> = Object.freeze({ reach: () => undefined });

/** Symbol of the crash points that a module of the fault suite sets before the app (`node --import`). */
const PRELOADED = Symbol.for('quarry.crash-points');

/**
 * The crash points of this process: none, unless the fault suite started it. There is no variable that could set
 * them, and the code that ends a process is not part of any app.
 */
export function crashPoints<Point extends string>(): CrashPoints<Point> {
  return (globalThis as { [PRELOADED]?: CrashPoints<Point> })[PRELOADED] ?? NO_CRASH_POINTS;
}
