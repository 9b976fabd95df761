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
 * A bound on work at once, and on the part of it that one key may take. Turns are given in the order of arrival,
 * except that a key which has its part lets others pass.
 */
export class FairShare {
  private readonly running = new Map<string, number>();
  private readonly waiting: Waiter[] = [];
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
        reject(this.options.refusal());
      }, this.options.waitMs);
      this.waiting.push(waiter);
      this.admit();
    });
  }

  private admit(): void {
    for (let i = 0; i < this.waiting.length && this.total < this.options.size;) {
      const waiter = this.waiting[i]!;
      if (this.hasRoom(waiter.key)) {
        this.waiting.splice(i, 1);
        this.enter(waiter.key);
        waiter.admit();
      } else i += 1;
    }
  }

  private hasRoom(key: string): boolean {
    return this.total < this.options.size && (this.running.get(key) ?? 0) < this.options.each;
  }

  private enter(key: string): void {
    this.total += 1;
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
  }

  private leave(key: string): void {
    this.total -= 1;
    const left = this.running.get(key)! - 1;
    if (left === 0) this.running.delete(key);
    else this.running.set(key, left);
    this.admit();
  }
}
