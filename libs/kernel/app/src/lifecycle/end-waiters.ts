import type { OnApplicationShutdown } from '@nestjs/common';
import { untraced } from '@quarry/tracing';
import { systemCtx } from '../context/ctx.js';

/** Milliseconds between two queries for all awaited ids. */
const TICK_MS = 250;
/** A new id is also queried after this many milliseconds, and again after twice and four times as many more. */
const QUICK_MS = 15;
const QUICK_TICKS_MAX = 4;
/** Above this number reads return immediately: each held read occupies a connection and some kilobytes. */
const WAITERS_MAX = 10_000;

interface Waiter {
  resolve: (ended: boolean) => void;
  timer: NodeJS.Timeout;
}

/**
 * Holds reads until their subject has ended, without a database connection per read: one query per tick covers all of
 * them. New ids are also queried after 15, 45 and 105 ms, all in one query, so that a quick end in another process is
 * noticed early. An end in this process is announced immediately ({@link EndWaiters.announceEnds}).
 */
export class EndWaiters implements OnApplicationShutdown {
  private readonly waiters = new Map<string, Set<Waiter>>();
  private ticker: NodeJS.Timeout | null = null;
  private isClosed = false;
  private asking = false;
  /** New ids, which are queried more often: quick ticks left until the next query, and the interval in ticks. */
  private readonly fresh = new Map<string, { left: number; ticks: number }>();
  private quick: NodeJS.Timeout | null = null;
  /** Number of held reads. */
  size = 0;

  constructor(
    /** Returns those of the ids that have ended, across all organisations. */
    private readonly endedAmong: (ctx: ReturnType<typeof systemCtx>, ids: string[]) => Promise<string[]>,
    /** Fires when the process starts to stop. */
    stopping?: AbortSignal,
  ) {
    // Not a shutdown hook: Nest runs hooks after the open requests have ended, and a held read is one of them.
    stopping?.addEventListener('abort', () => this.close(), { once: true });
  }

  /**
   * Resolves when the subject has ended, after the timeout, or when the process stops, whichever is first.
   * @returns whether it is known to have ended
   */
  waitForEnd(id: string, timeoutMs: number): Promise<boolean> {
    if (this.isClosed || this.size >= WAITERS_MAX) return Promise.resolve(false);
    this.size += 1;
    return new Promise((resolve) => {
      const waiter: Waiter = {
        resolve,
        timer: setTimeout(() => this.wakeWaiter(id, waiter, false), timeoutMs),
      };
      const group = this.waiters.get(id);
      if (!group) this.fresh.set(id, { left: 1, ticks: 1 });
      this.waiters.set(id, (group ?? new Set()).add(waiter));
      this.ticker ??= untraced(() => setInterval(() => void this.checkEnds(), TICK_MS));
      this.quick ??= untraced(() => setInterval(() => void this.checkFresh(), QUICK_MS));
    });
  }

  /** Queries which of the awaited ids have ended. */
  async checkEnds(): Promise<void> {
    await this.askForEnds([...this.waiters.keys()]);
  }

  /** Resolves the waits for ids that have ended. */
  announceEnds(ids: readonly string[]): void {
    for (const id of ids) for (const waiter of this.waiters.get(id) ?? []) this.wakeWaiter(id, waiter, true);
  }

  private async checkFresh(): Promise<void> {
    if (this.asking) return;
    const due: string[] = [];
    for (const [id, each] of this.fresh) {
      each.left -= 1;
      if (each.left > 0) continue;
      due.push(id);
      if (each.ticks === QUICK_TICKS_MAX) this.fresh.delete(id);
      else each.left = each.ticks *= 2;
    }
    if (this.fresh.size === 0) this.quick = stopTicker(this.quick);
    await this.askForEnds(due);
  }

  private async askForEnds(ids: string[]): Promise<void> {
    if (this.asking || ids.length === 0) return;
    this.asking = true;
    try {
      this.announceEnds(await this.endedAmong(systemCtx('end-waiters'), ids));
    } catch {
      // The next tick queries again; a waiter is answered after its own timeout at the latest.
    } finally {
      this.asking = false;
    }
  }

  /** Resolves all waits immediately and accepts no more. */
  close(): void {
    this.isClosed = true;
    for (const [id, group] of this.waiters) for (const waiter of group) this.wakeWaiter(id, waiter, false);
  }

  onApplicationShutdown(): void {
    this.close();
  }

  private wakeWaiter(id: string, waiter: Waiter, ended: boolean): void {
    clearTimeout(waiter.timer);
    this.size -= 1;
    const group = this.waiters.get(id);
    group?.delete(waiter);
    if (group?.size === 0) {
      this.waiters.delete(id);
      this.fresh.delete(id);
    }
    if (this.waiters.size === 0) this.stopTickers();
    waiter.resolve(ended);
  }

  private stopTickers(): void {
    this.ticker = stopTicker(this.ticker);
    this.quick = stopTicker(this.quick);
  }
}

function stopTicker(ticker: NodeJS.Timeout | null): null {
  if (ticker) clearInterval(ticker);
  return null;
}
