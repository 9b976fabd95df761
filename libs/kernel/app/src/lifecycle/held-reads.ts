const STOPPED = Symbol('stopped');

/**
 * Reads that wait on another service for an event. When this process stops, each returns the current state at once: the
 * service that holds the read does not know about the stop, and its response may be a minute away.
 */
export class HeldReads {
  private readonly held = new Set<() => void>();
  private isClosed = false;

  /**
   * Returns the result of `hold`, or that of `now` if the process stops first.
   * @param hold reads and waits
   * @param now reads without waiting
   */
  async answerHeldRead<T>(hold: () => Promise<T>, now: () => Promise<T>): Promise<T> {
    if (this.isClosed) return now();
    let release = (): void => undefined;
    const stopped = new Promise<typeof STOPPED>((resolve) => (release = () => resolve(STOPPED)));
    this.held.add(release);
    try {
      const holding = hold();
      const first = await Promise.race([holding, stopped]);
      if (first !== STOPPED) return first;
      // The result is no longer used; a failure must not end the process as an unhandled rejection.
      holding.catch(() => undefined);
      return await now();
    } finally {
      this.held.delete(release);
    }
  }

  /**
   * Reads immediately if there is nothing to wait for, else like {@link answerHeldRead}.
   * @param ask reads, and waits for at most that many seconds
   */
  readWithin<T>(waitSeconds: number, ask: (seconds: number) => Promise<T>): Promise<T> {
    if (waitSeconds === 0) return ask(0);
    return this.answerHeldRead(
      () => ask(waitSeconds),
      () => ask(0),
    );
  }

  /** Answers all held reads immediately and holds no more. */
  close(): void {
    this.isClosed = true;
    for (const release of this.held) release();
  }
}
