import { systemCtx } from '@quarry/platform';

const TICK_MS = 250;

interface Waiter {
  resolve: () => void;
  timer: NodeJS.Timeout;
}

/**
 * Holds reads until their batch has ended, without a database client for each: one question per tick for all of
 * them. A batch that ends in this very process is known at once ({@link BatchWaiters.check}).
 */
export class BatchWaiters {
  private readonly waiters = new Map<string, Set<Waiter>>();
  private ticker: NodeJS.Timeout | null = null;
  private isClosed = false;
  private asking = false;

  constructor(
    private readonly endedAmong: (ctx: ReturnType<typeof systemCtx>, batchIds: string[]) => Promise<string[]>,
  ) {}

  /** Resolves when the batch has ended, when the time is over, or when the process stops, whichever is first. */
  wait(batchId: string, timeoutMs: number): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter: Waiter = { resolve, timer: setTimeout(() => this.wake(batchId, waiter), timeoutMs) };
      const group = this.waiters.get(batchId) ?? new Set();
      this.waiters.set(batchId, group.add(waiter));
      this.ticker ??= setInterval(() => void this.check(), TICK_MS);
    });
  }

  /** Asks now which of the awaited batches have ended. */
  async check(): Promise<void> {
    if (this.asking || this.waiters.size === 0) return;
    this.asking = true;
    try {
      const ended = await this.endedAmong(systemCtx('batch-waiters'), [...this.waiters.keys()]);
      for (const batchId of ended)
        for (const waiter of this.waiters.get(batchId) ?? []) this.wake(batchId, waiter);
    } catch {
      // The next tick asks again; a waiter is answered by its own time at the latest.
    } finally {
      this.asking = false;
    }
  }

  /** Answers everybody at once and holds nobody from now on. */
  close(): void {
    this.isClosed = true;
    for (const [batchId, group] of this.waiters) for (const waiter of group) this.wake(batchId, waiter);
  }

  get size(): number {
    return [...this.waiters.values()].reduce((sum, group) => sum + group.size, 0);
  }

  private wake(batchId: string, waiter: Waiter): void {
    clearTimeout(waiter.timer);
    const group = this.waiters.get(batchId);
    group?.delete(waiter);
    if (group?.size === 0) this.waiters.delete(batchId);
    if (this.waiters.size === 0 && this.ticker) {
      clearInterval(this.ticker);
      this.ticker = null;
    }
    waiter.resolve();
  }
}
