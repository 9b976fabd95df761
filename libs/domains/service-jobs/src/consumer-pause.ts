import { withDeadline } from '@quarry/resilience';
import type { Logger } from '@quarry/app';

/** Milliseconds between checks whether PostgreSQL is back. */
const CLOSED_INTERVAL_MS = 1000;

/**
 * Pauses a consumer while PostgreSQL does not answer. A worker that is cut off from PostgreSQL, but not from the queue, would
 * keep messages from workers that can process them; with refused connections it would drain a whole backlog within seconds.
 */
export class ConsumerPause {
  private isOpen = true;
  private isStopped = false;
  private isChecking = false;
  private timer: NodeJS.Timeout | undefined;

  /** @param intervalMs time between checks, and timeout of each */
  constructor(
    private readonly ports: {
      /** Runs any statement. */
      ask: () => Promise<unknown>;
      pause: () => Promise<void>;
      resume: () => Promise<void>;
      logger: Logger;
    },
    private readonly intervalMs: number,
  ) {}

  start(): void {
    this.scheduleCheck();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Checks now instead of at the next interval, because something has just failed. */
  checkNow(): void {
    if (!this.isOpen || this.isStopped || this.isChecking) return;
    clearTimeout(this.timer);
    void this.checkDatabase();
  }

  private scheduleCheck(): void {
    if (this.isStopped) return;
    const inMs = this.isOpen ? this.intervalMs : Math.min(this.intervalMs, CLOSED_INTERVAL_MS);
    this.timer = setTimeout(() => void this.checkDatabase(), inMs).unref();
  }

  private async checkDatabase(): Promise<void> {
    this.isChecking = true;
    const isAnswered = await this.isAnswered();
    if (!this.isStopped && isAnswered !== this.isOpen) await this.switchTo(isAnswered);
    this.isChecking = false;
    this.scheduleCheck();
  }

  private async switchTo(isOpen: boolean): Promise<void> {
    const { pause, resume, logger } = this.ports;
    if (isOpen) logger.info('PostgreSQL answers again: consuming jobs resumes');
    else logger.warn('PostgreSQL does not answer: consuming jobs is paused');
    await (isOpen ? resume() : pause());
    this.isOpen = isOpen;
  }

  /** A check on a dead connection is given up after one interval; the next check may get another connection. */
  private isAnswered(): Promise<boolean> {
    return withDeadline(this.ports.ask(), { ms: this.intervalMs }).then(
      () => true,
      () => false,
    );
  }
}
