const STOPPED = Symbol('stopped');

/**
 * Reads that wait on another service for something to happen. When this process stops, each is answered at once with
 * what is known then: the service that holds it knows nothing of the stop, and its answer may be a minute away.
 */
export class HeldReads {
  private readonly held = new Set<() => void>();
  private isClosed = false;

  /**
   * @param hold asks and waits
   * @param now asks without waiting
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
      // Its result is not used any more; a failure must not end the process as an unhandled rejection.
      holding.catch(() => undefined);
      return await now();
    } finally {
      this.held.delete(release);
    }
  }

  /**
   * Reads at once where nothing is to be waited for, else as {@link answerHeldRead} does.
   * @param ask reads, and waits for that many seconds at most
   */
  readWithin<T>(waitSeconds: number, ask: (seconds: number) => Promise<T>): Promise<T> {
    if (waitSeconds === 0) return ask(0);
    return this.answerHeldRead(
      () => ask(waitSeconds),
      () => ask(0),
    );
  }

  /** Answers everybody at once and holds nobody from now on. */
  close(): void {
    this.isClosed = true;
    for (const release of this.held) release();
  }
}
