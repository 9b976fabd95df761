const ends = new WeakMap<AbortSignal, number>();

/**
 * Creates a signal that fires with `TimeoutError` after `ms`, or together with `other`. Its receiver can read the time left
 * with {@link timeLeftOf}, which other signals do not provide.
 */
export function timedSignal(ms: number, other?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  const signal = other ? AbortSignal.any([other, timeout]) : timeout;
  ends.set(signal, performance.now() + ms);
  return signal;
}

/** @returns milliseconds until the signal fires; null for a signal without a known deadline */
export function timeLeftOf(signal: AbortSignal): number | null {
  const end = ends.get(signal);
  return end === undefined ? null : Math.max(0, end - performance.now());
}

/**
 * @param work continues when the signal fires
 * @returns its result
 * @throws the error of the work; the signal's reason when it fires before
 */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = (): void => reject(signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', stop));
}
