import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';

/**
 * Work that is repeated until it is stopped. As a provider it starts and stops with its application. A round starts when the
 * previous one has ended and the interval has passed. A failed round is reported and does not stop the next one.
 */
export class PeriodicTask implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  /**
   * @param work one round; the signal fires at a shutdown, so that a long round can end early
   * @param options.intervalMs from the end of a round to the start of the next
   * @param options.onError receives the error of a failed round
   */
  constructor(
    private readonly work: (stopping: AbortSignal) => Promise<void>,
    private readonly options: { intervalMs: number; onError: (error: unknown) => void },
  ) {}

  /** Starts the first round immediately. */
  start(): void {
    this.round = this.runTask();
  }

  /** Starts no more rounds and waits for the current one. */
  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.timer) clearTimeout(this.timer);
    await this.round;
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  private async runTask(): Promise<void> {
    await this.work(this.stopping.signal).catch(this.options.onError);
    if (this.stopping.signal.aborted) return;
    this.timer = setTimeout(() => this.start(), this.options.intervalMs);
  }
}
