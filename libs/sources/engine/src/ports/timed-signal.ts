const ends = new WeakMap<AbortSignal, number>();

/**
 * A signal that fires with `TimeoutError` after so many milliseconds, or with the other one. Whoever gets it can tell how much
 * time is left ({@link timeLeftOf}), which no other signal says.
 */
export function timedSignal(ms: number, other?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  const signal = other ? AbortSignal.any([other, timeout]) : timeout;
  ends.set(signal, performance.now() + ms);
  return signal;
}

/** @returns milliseconds until it fires; null where nobody has said so */
export function timeLeftOf(signal: AbortSignal): number | null {
  const end = ends.get(signal);
  return end === undefined ? null : Math.max(0, end - performance.now());
}
