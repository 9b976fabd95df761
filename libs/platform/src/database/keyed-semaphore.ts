interface Waiter {
  key: string;
  /** Its place among all: the lowest comes next. */
  turn: number;
  admit: () => void;
}

/** Of one bound, since the process began. */
export interface SemaphoreFigures {
  /** Pieces of work that run, and that wait. */
  running: number;
  waiting: number;
  /** Those that had to wait, how long all of them waited, and those whose turn did not come. */
  waits: number;
  waitedMs: number;
  refusals: number;
}

export interface KeyedSemaphoreOptions {
  /** Pieces of work at once. */
  size: number;
  /** Pieces of work of one key at once. */
  each: number;
  /** How long one may wait for its turn. */
  waitMs: number;
  /** The error for a caller that has waited so long. */
  refusal: () => Error;
}

/**
 * A bound on work at once, and on the part of it that one key may take. Turns go round the keys, however much one of them has asked
 * for (start-time fair queueing): each piece of work of a key is one turn behind the one before it, and a key that comes begins with the
 * turn that is given now. Among equals in the order of arrival.
 */
export class KeyedSemaphore {
  private readonly running = new Map<string, number>();
  private readonly waiting: Waiter[] = [];
  /** The turn of what comes next of each key that runs, waits or is ahead of others. */
  private readonly nextTurns = new Map<string, number>();
  private turn = 0;
  private total = 0;
  private waits = 0;
  private waitedMs = 0;
  private refusals = 0;

  constructor(private readonly options: KeyedSemaphoreOptions) {}

  /** @returns what `work` returns. @throws the refusal when no turn came in time */
  async use<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.waiting.length === 0 && this.hasRoom(key)) this.enter(key, this.takeTurn(key));
    else await this.wait(key);
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  /** @returns what is under way, and what there was to wait for */
  figures(): SemaphoreFigures {
    const { total: running, waits, waitedMs, refusals } = this;
    return { running, waiting: this.waiting.length, waits, waitedMs, refusals };
  }

  private wait(key: string): Promise<void> {
    this.waits += 1;
    const askedAt = performance.now();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        key,
        turn: this.takeTurn(key),
        admit: () => {
          clearTimeout(patience);
          this.waitedMs += performance.now() - askedAt;
          resolve();
        },
      };
      const patience = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        this.waitedMs += performance.now() - askedAt;
        this.refusals += 1;
        // It has had none.
        this.nextTurns.set(key, this.nextTurns.get(key)! - 1);
        this.forget(key);
        reject(this.options.refusal());
      }, this.options.waitMs);
      this.waiting.push(waiter);
      this.admit();
    });
  }

  private admit(): void {
    for (let next = this.nextWaiter(); next !== null; next = this.nextWaiter()) {
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.enter(next.key, next.turn);
      next.admit();
    }
  }

  private nextWaiter(): Waiter | null {
    let next: Waiter | null = null;
    if (this.total < this.options.size)
      for (const waiter of this.waiting)
        if (this.hasRoom(waiter.key) && (next === null || waiter.turn < next.turn)) next = waiter;
    return next;
  }

  private takeTurn(key: string): number {
    const turn = Math.max(this.turn, this.nextTurns.get(key) ?? 0);
    this.nextTurns.set(key, turn + 1);
    return turn;
  }

  private hasRoom(key: string): boolean {
    return this.total < this.options.size && (this.running.get(key) ?? 0) < this.options.each;
  }

  private enter(key: string, turn: number): void {
    this.total += 1;
    this.turn = Math.max(this.turn, turn);
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
  }

  private leave(key: string): void {
    this.total -= 1;
    const left = this.running.get(key)! - 1;
    if (left === 0) this.running.delete(key);
    else this.running.set(key, left);
    this.admit();
    this.forget(key);
  }

  /** A key that has had more turns than others stays behind them when it comes back, until all have had as many. */
  private forget(key: string): void {
    if (this.total === 0 && this.waiting.length === 0) this.nextTurns.clear();
    else if (
      !this.running.has(key) &&
      (this.nextTurns.get(key) ?? 0) <= this.turn &&
      !this.waiting.some((waiter) => waiter.key === key)
    )
      this.nextTurns.delete(key);
  }
}
