interface Waiter {
  /** Its place among all: the lowest comes next, and of equals the one that came first. */
  turn: number;
  arrival: number;
  admit: () => void;
}

/** Of one bound, since the process began. */
export interface SemaphoreMetrics {
  /** Pieces of work that run, and that wait. */
  running: number;
  waiting: number;
  /** Those that had to wait, how long all of them waited, and those whose turn did not come in time. */
  waits: number;
  waitedMs: number;
  refusals: number;
}

export interface KeyedSemaphoreOptions {
  /** Pieces of work at once. */
  size: number;
  /** Pieces of work of one key at once; as many as of all when left out. */
  each?: number;
  /** Milliseconds that a caller may wait for its turn, and the error after them; until its signal fires when left out. */
  timeout?: { ms: number; refusal: () => Error };
}

/**
 * A bound on work at once, and on the part of it that one key may take. Turns go round the keys, however much one of them has asked
 * for (start-time fair queueing): each piece of work of a key is one turn behind the one before it, and a key that comes begins with the
 * turn that is given now. Among equals in the order of arrival.
 */
export class KeyedSemaphore {
  private readonly runningByKey = new Map<string, number>();
  /** Waiting callers, by key; of one key the first has the lowest turn. */
  private readonly lines = new Map<string, Set<Waiter>>();
  /** The turn of what comes next of each key that runs, waits or is ahead of others. */
  private readonly nextTurns = new Map<string, number>();
  private readonly size: number;
  private readonly each: number;
  private turn = 0;
  private arrivals = 0;
  private running = 0;
  private waiting = 0;
  private waits = 0;
  private waitedMs = 0;
  private refusals = 0;

  constructor(private readonly options: KeyedSemaphoreOptions) {
    this.size = options.size;
    this.each = options.each ?? options.size;
  }

  /** @returns what `work` returns. @throws the refusal when no turn came in time */
  async use<T>(key: string, work: () => Promise<T>): Promise<T> {
    const leave = await this.enter(key);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Waits for a turn.
   * @returns what ends it; to be called once
   * @throws the refusal when no turn came in time; the signal's reason when it fires before
   */
  async enter(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const leave = this.tryEnter(key);
    if (leave) return leave;
    await this.waitForTurn(key, signal);
    return () => this.endTurn(key);
  }

  /** @returns what ends a turn that begins at once; null where one would have to wait */
  tryEnter(key: string): (() => void) | null {
    // Whoever waits while there is room waits for the part of its own key.
    if (!this.hasCapacity(key) || this.lines.has(key)) return null;
    this.beginTurn(key, this.takeTurn(key));
    return () => this.endTurn(key);
  }

  /** @returns what is under way, and what there was to wait for */
  readMetrics(): SemaphoreMetrics {
    const { running, waiting, waits, waitedMs, refusals } = this;
    return { running, waiting, waits, waitedMs, refusals };
  }

  /** A turn is handed from the one who leaves to the one who waits, so that nobody can slip in between. */
  private waitForTurn(key: string, signal?: AbortSignal): Promise<void> {
    const { timeout } = this.options;
    const line = this.lines.get(key) ?? new Set();
    this.lines.set(key, line);
    this.waits += 1;
    this.waiting += 1;
    const askedAt = performance.now();
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.waiting -= 1;
        this.waitedMs += performance.now() - askedAt;
        line.delete(waiter);
        if (line.size === 0) this.lines.delete(key);
      };
      const giveUp = (reason: Error): void => {
        stopWaiting();
        // It has had no turn.
        this.nextTurns.set(key, this.nextTurns.get(key)! - 1);
        this.forgetKey(key);
        reject(reason);
      };
      const onAbort = (): void => giveUp(signal!.reason as Error);
      const waiter: Waiter = {
        turn: this.takeTurn(key),
        arrival: (this.arrivals += 1),
        admit: () => {
          stopWaiting();
          this.beginTurn(key, waiter.turn);
          resolve();
        },
      };
      const timer =
        timeout &&
        setTimeout(() => {
          this.refusals += 1;
          giveUp(timeout.refusal());
        }, timeout.ms);
      signal?.addEventListener('abort', onAbort, { once: true });
      line.add(waiter);
    });
  }

  private admitNext(): void {
    for (let next = this.nextWaiter(); next !== null; next = this.nextWaiter()) next.admit();
  }

  private nextWaiter(): Waiter | null {
    let next: Waiter | null = null;
    if (this.running >= this.size) return null;
    for (const [key, line] of this.lines) {
      const [first] = line;
      if (!this.hasCapacity(key)) continue;
      const isEarlier =
        next === null ||
        first!.turn < next.turn ||
        (first!.turn === next.turn && first!.arrival < next.arrival);
      if (isEarlier) next = first!;
    }
    return next;
  }

  private takeTurn(key: string): number {
    const turn = Math.max(this.turn, this.nextTurns.get(key) ?? 0);
    this.nextTurns.set(key, turn + 1);
    return turn;
  }

  private hasCapacity(key: string): boolean {
    return this.running < this.size && (this.runningByKey.get(key) ?? 0) < this.each;
  }

  private beginTurn(key: string, turn: number): void {
    this.running += 1;
    this.turn = Math.max(this.turn, turn);
    this.runningByKey.set(key, (this.runningByKey.get(key) ?? 0) + 1);
  }

  private endTurn(key: string): void {
    this.running -= 1;
    const left = this.runningByKey.get(key)! - 1;
    if (left === 0) this.runningByKey.delete(key);
    else this.runningByKey.set(key, left);
    this.admitNext();
    this.forgetKey(key);
  }

  /** A key that has had more turns than others stays behind them when it comes back, until all have had as many. */
  private forgetKey(key: string): void {
    if (this.running === 0 && this.waiting === 0) this.nextTurns.clear();
    else if (
      !this.runningByKey.has(key) &&
      !this.lines.has(key) &&
      (this.nextTurns.get(key) ?? 0) <= this.turn
    )
      this.nextTurns.delete(key);
  }
}
