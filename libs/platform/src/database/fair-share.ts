interface Waiter {
  key: string;
  admit: () => void;
}

/** Of one bound, since the process began. */
export interface ShareFigures {
  /** Pieces of work that run, and that wait. */
  running: number;
  waiting: number;
  /** Those that had to wait, how long all of them waited, and those whose turn did not come. */
  waits: number;
  waitedMs: number;
  refusals: number;
}

export interface FairShareOptions {
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
 * A bound on work at once, and on the part of it that one key may take. Whoever waits gets a turn after those whose key had its last
 * turn earlier, however much a key has asked for; among equals in the order of arrival.
 */
export class FairShare {
  private readonly running = new Map<string, number>();
  private readonly waiting: Waiter[] = [];
  /** Number of the last turn of each key that runs or waits. */
  private readonly lastTurns = new Map<string, number>();
  private turns = 0;
  private total = 0;
  private waits = 0;
  private waitedMs = 0;
  private refusals = 0;

  constructor(private readonly options: FairShareOptions) {}

  /** @returns what `work` returns. @throws the refusal when no turn came in time */
  async use<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.waiting.length === 0 && this.hasRoom(key)) this.enter(key);
    else await this.turn(key);
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  /** @returns what is under way, and what there was to wait for */
  figures(): ShareFigures {
    const { total: running, waits, waitedMs, refusals } = this;
    return { running, waiting: this.waiting.length, waits, waitedMs, refusals };
  }

  private turn(key: string): Promise<void> {
    this.waits += 1;
    const askedAt = performance.now();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        key,
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
      this.enter(next.key);
      next.admit();
    }
  }

  private nextWaiter(): Waiter | null {
    let next: Waiter | null = null;
    if (this.total < this.options.size)
      for (const waiter of this.waiting)
        if (this.hasRoom(waiter.key) && (next === null || this.lastTurn(waiter) < this.lastTurn(next)))
          next = waiter;
    return next;
  }

  private lastTurn({ key }: Waiter): number {
    return this.lastTurns.get(key) ?? 0;
  }

  private hasRoom(key: string): boolean {
    return this.total < this.options.size && (this.running.get(key) ?? 0) < this.options.each;
  }

  private enter(key: string): void {
    this.total += 1;
    this.lastTurns.set(key, (this.turns += 1));
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

  private forget(key: string): void {
    if (!this.running.has(key) && !this.waiting.some((waiter) => waiter.key === key))
      this.lastTurns.delete(key);
  }
}
