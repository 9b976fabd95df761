export interface Deadline {
  /** Milliseconds; no time limit by default. */
  ms?: number;
  /** Creates the error after the time limit. */
  late?: () => Error;
  /** Its reason is thrown as soon as it fires. */
  signal?: AbortSignal;
}

/**
 * Waits for work until a deadline, or until a signal fires. The work itself is not cancelled: pass it a signal if it can
 * be. Its late result is ignored.
 * @throws the error of the work, the error of `late`, or the signal's reason
 */
export async function withDeadline<T>(
  work: Promise<T>,
  { ms = Infinity, late = () => new Error(`Nothing came within ${ms} ms.`), signal }: Deadline,
): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal!.reason as Error);
  // Node fires timers of more than 24 days immediately.
  const timer = Number.isFinite(ms) ? setTimeout(() => reject(late()), ms) : undefined;
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  // Both may reject after nothing waits for them any more.
  limit.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
