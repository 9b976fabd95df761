import type { OnApplicationShutdown } from '@nestjs/common';
import { untraced } from '@quarry/tracing';
import { systemCtx } from '../context/ctx.js';

const TICK_MS = 250;
/** Above this a process answers at once: a held read keeps a connection and some kilobytes. */
const WAITERS_MAX = 10_000;

interface Waiter {
  resolve: (ended: boolean) => void;
  timer: NodeJS.Timeout;
}

/**
 * Holds reads until what they read has ended, without a database client for each: one question per tick for all of
 * them. What ends in this very process is known at once ({@link EndWaiters.check}).
 */
export class EndWaiters implements OnApplicationShutdown {
  private readonly waiters = new Map<string, Set<Waiter>>();
  private ticker: NodeJS.Timeout | null = null;
  private isClosed = false;
  private asking = false;
  /** Reads that are held now. */
  size = 0;

  constructor(
    /** Says which of some ids have ended, of every organisation. */
    private readonly endedAmong: (ctx: ReturnType<typeof systemCtx>, ids: string[]) => Promise<string[]>,
  ) {}

  /**
   * Resolves when it has ended, when the time is over, or when the process stops, whichever is first.
   * @returns whether it is known to have ended
   */
  wait(id: string, timeoutMs: number): Promise<boolean> {
    if (this.isClosed || this.size >= WAITERS_MAX) return Promise.resolve(false);
    this.size += 1;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        resolve,
        timer: setTimeout(() => this.wake(id, waiter, false), timeoutMs),
      };
      const group = this.waiters.get(id) ?? new Set();
      this.waiters.set(id, group.add(waiter));
      this.ticker ??= untraced(() => setInterval(() => void this.check(), TICK_MS));
    });
  }

  /** Asks now which of the awaited have ended. */
  async check(): Promise<void> {
    if (this.asking || this.waiters.size === 0) return;
    this.asking = true;
    try {
      const ended = await this.endedAmong(systemCtx('end-waiters'), [...this.waiters.keys()]);
      for (const id of ended) for (const waiter of this.waiters.get(id) ?? []) this.wake(id, waiter, true);
    } catch {
      // The next tick asks again; a waiter is answered by its own time at the latest.
    } finally {
      this.asking = false;
    }
  }

  /** Answers everybody at once and holds nobody from now on. */
  close(): void {
    this.isClosed = true;
    for (const [id, group] of this.waiters) for (const waiter of group) this.wake(id, waiter, false);
  }

  onApplicationShutdown(): void {
    this.close();
  }

  private wake(id: string, waiter: Waiter, ended: boolean): void {
    clearTimeout(waiter.timer);
    this.size -= 1;
    const group = this.waiters.get(id);
    group?.delete(waiter);
    if (group?.size === 0) this.waiters.delete(id);
    if (this.waiters.size === 0 && this.ticker) {
      clearInterval(this.ticker);
      this.ticker = null;
    }
    waiter.resolve(ended);
  }
}
