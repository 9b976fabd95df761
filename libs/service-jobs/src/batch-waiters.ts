import type { OnApplicationShutdown } from '@nestjs/common';
import { systemCtx } from '@quarry/platform';

const TICK_MS = 250;
/** Above this a process answers at once: a held read keeps a connection and some kilobytes. */
const WAITERS_MAX = 10_000;

interface Waiter {
  resolve: (ended: boolean) => void;
  timer: NodeJS.Timeout;
}

/**
 * Holds reads until their batch has ended, without a database client for each: one question per tick for all of
 * them. A batch that ends in this very process is known at once ({@link BatchWaiters.check}).
 */
export class BatchWaiters implements OnApplicationShutdown {
  private readonly waiters = new Map<string, Set<Waiter>>();
  private ticker: NodeJS.Timeout | null = null;
  private isClosed = false;
  private asking = false;
  /** Reads that are held now. */
  size = 0;

  constructor(
    private readonly endedAmong: (ctx: ReturnType<typeof systemCtx>, batchIds: string[]) => Promise<string[]>,
  ) {}

  /**
   * Resolves when the batch has ended, when the time is over, or when the process stops, whichever is first.
   * @returns whether the batch is known to have ended
   */
  wait(batchId: string, timeoutMs: number): Promise<boolean> {
    if (this.isClosed || this.size >= WAITERS_MAX) return Promise.resolve(false);
    this.size += 1;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        resolve,
        timer: setTimeout(() => this.wake(batchId, waiter, false), timeoutMs),
      };
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
        for (const waiter of this.waiters.get(batchId) ?? []) this.wake(batchId, waiter, true);
    } catch {
      // The next tick asks again; a waiter is answered by its own time at the latest.
    } finally {
      this.asking = false;
    }
  }

  /** Answers everybody at once and holds nobody from now on. */
  close(): void {
    this.isClosed = true;
    for (const [batchId, group] of this.waiters)
      for (const waiter of group) this.wake(batchId, waiter, false);
  }

  onApplicationShutdown(): void {
    this.close();
  }

  private wake(batchId: string, waiter: Waiter, ended: boolean): void {
    clearTimeout(waiter.timer);
    this.size -= 1;
    const group = this.waiters.get(batchId);
    group?.delete(waiter);
    if (group?.size === 0) this.waiters.delete(batchId);
    if (this.waiters.size === 0 && this.ticker) {
      clearInterval(this.ticker);
      this.ticker = null;
    }
    waiter.resolve(ended);
  }
}
