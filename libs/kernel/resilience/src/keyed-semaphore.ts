interface Waiter {
  /** Position among all waiters: the lowest comes next; equal ones in the order of arrival. */
  turn: number;
  arrival: number;
  admit: () => void;
}

/** Metrics of one semaphore since the process started. */
export interface SemaphoreMetrics {
  /** Number of running and of waiting tasks. */
  running: number;
  waiting: number;
  /** Number of waits, their total duration, and the number of waits that timed out. */
  waits: number;
  waitedMs: number;
  refusals: number;
}

export interface KeyedSemaphoreOptions {
  /** Maximum number of concurrent tasks. */
  size: number;
  /** Maximum number of concurrent tasks per key; equal to `size` by default. */
  each?: number;
  /** Maximum wait for a turn in milliseconds, and the error after it. By default a caller waits until its signal fires. */
  timeout?: { ms: number; refusal: () => Error };
}

/**
 * A limit on concurrent tasks, in total and per key. Turns rotate between the keys, however many tasks one of them has
 * queued (start-time fair queueing): each task of a key is one turn after its previous one, and a new key starts at the
 * current turn. Equal turns are served in the order of arrival.
 */
export class KeyedSemaphore {
  private readonly runningByKey = new Map<string, number>();
  /** Waiters by key; the first of a key has its lowest turn. */
  private readonly lines = new Map<string, Set<Waiter>>();
  /** Next turn of each key that runs, waits or is ahead of others. */
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

  /** Runs `work` in a turn. @returns its result. @throws the refusal if no turn came in time */
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
   * @returns the function that ends it, to be called once
   * @throws the refusal if no turn came in time; the signal's reason if it fires first
   */
  async enter(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const leave = this.tryEnter(key);
    if (leave) return leave;
    await this.waitForTurn(key, signal);
    return () => this.endTurn(key);
  }

  /** @returns the function that ends a turn that starts immediately; null if the caller would have to wait */
  tryEnter(key: string): (() => void) | null {
    // If there are waiters despite free capacity, they wait for the limit of their own key.
    if (!this.hasCapacity(key) || this.lines.has(key)) return null;
    this.beginTurn(key, this.takeTurn(key));
    return () => this.endTurn(key);
  }

  /** @returns the current load and the counters of waits */
  readMetrics(): SemaphoreMetrics {
    const { running, waiting, waits, waitedMs, refusals } = this;
    return { running, waiting, waits, waitedMs, refusals };
  }

  /** Waits until a leaving task hands its turn over directly, so that no other caller can take it in between. */
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
        // The turn was not used.
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

  /** Forgets an idle key. A key that has had more turns than others is remembered until the others have caught up. */
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
