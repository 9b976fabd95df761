/** Moments in the life of a list and its lines, in their order, at which a fault test may end, stop or delay a process. */
export type CrashPoint =
  | 'after_batch_commit_before_relay'
  | 'claimed'
  | 'attempt_committed'
  | 'provider_sent'
  | 'provider_answered'
  | 'before_settle_commit'
  | 'after_settle_commit';

/** Told of each moment as it is reached. Work goes on when the answer resolves, and fails as the answer fails. */
export interface CrashPoints {
  /** @param input of the line, so that a test can choose one line among others */
  reach(point: CrashPoint, input?: Readonly<Record<string, unknown>>): Promise<void> | void;
}

/** What production has: nothing happens. */
export const NO_CRASH_POINTS: CrashPoints = Object.freeze({ reach: () => undefined });

/** Where a module of the fault suite, loaded before the app (`node --import`), leaves its crash points. */
const PRELOADED = Symbol.for('quarry.crash-points');

/**
 * The crash points of this process: none, unless the fault suite started it. There is no variable that could set
 * them, and the code that ends a process is not part of any app.
 */
export function crashPoints(): CrashPoints {
  return (globalThis as { [PRELOADED]?: CrashPoints })[PRELOADED] ?? NO_CRASH_POINTS;
}
