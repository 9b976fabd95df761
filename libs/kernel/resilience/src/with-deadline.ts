export interface Deadline {
  /** Milliseconds; none when left out. */
  ms?: number;
  /** The error once they are over. */
  late?: () => Error;
  /** Its reason is thrown as soon as it fires. */
  signal?: AbortSignal;
}

/**
 * Waits for work until a deadline, or until a signal fires. The work itself goes on: whoever can end it is to give it a signal, and what
 * it answers then is nobody's.
 * @throws what the work throws, what `late` makes, or the signal's reason
 */
export async function withDeadline<T>(
  work: Promise<T>,
  { ms = Infinity, late = () => new Error(`Nothing came within ${ms} ms.`), signal }: Deadline,
): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal!.reason as Error);
  // A timer of Node that is longer than 24 days fires at once.
  const timer = Number.isFinite(ms) ? setTimeout(() => reject(late()), ms) : undefined;
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  // Both may be rejected when nobody waits for them any more.
  limit.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
