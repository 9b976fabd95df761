import { setTimeout as delay } from 'node:timers/promises';

/** Time, as the policy sees it; specs have their own. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** @throws when the signal fires first */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) => delay(ms, undefined, { signal }),
};
