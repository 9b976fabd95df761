import { setTimeout as delay } from 'node:timers/promises';
import type { WorkGuard } from './lease-guard.js';

/** Milliseconds between two reads of the work's state, however many of its calls are open. */
const CHECK_MS = 1000;

/** Tells all calls of one piece of work that it must stop, with one poll for all of them. */
export class CancellationPoll {
  private checkedAt = -Infinity;
  private checking: Promise<void> | null = null;
  private why: { error: unknown } | null = null;

  constructor(private readonly guard: WorkGuard) {}

  /** @throws what the guard throws, or the error that has stopped the work before */
  async check(): Promise<void> {
    if (this.why) throw this.why.error;
    if (performance.now() - this.checkedAt < CHECK_MS) return;
    this.checking ??= this.readSignals().finally(() => (this.checking = null));
    await this.checking;
  }

  private async readSignals(): Promise<void> {
    try {
      await this.guard.checkpoint();
      this.checkedAt = performance.now();
    } catch (error) {
      this.stop(error);
      throw error;
    }
  }

  /** Makes every further check throw the given error, so that no call starts. */
  stop(error: unknown): void {
    this.why ??= { error };
  }

  /** Waits. @throws like {@link check}, at once when the work must end */
  async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.guard.signal }).catch(() => (this.checkedAt = -Infinity));
    await this.check();
  }
}
