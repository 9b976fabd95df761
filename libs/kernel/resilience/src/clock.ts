import { setTimeout as delay } from 'node:timers/promises';

/** Source of time of the policies; specs use their own. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** @throws the signal's reason if it fires first */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) => delay(ms, undefined, { signal }),
};
