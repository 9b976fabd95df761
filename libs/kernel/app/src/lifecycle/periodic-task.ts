/**
 * Work that a process does now and then for as long as it lives. A round begins when the one before has ended and the
 * interval has passed; a round that fails is told of and does not stop the next.
 */
export class PeriodicTask {
  private timer: NodeJS.Timeout | null = null;
  private round: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  /**
   * @param work a round; the signal fires at a stop, so that a long one can end early
   * @param options.intervalMs from the end of a round to the beginning of the next
   * @param options.onError told of a round that failed
   */
  constructor(
    private readonly work: (stopping: AbortSignal) => Promise<void>,
    private readonly options: { intervalMs: number; onError: (error: unknown) => void },
  ) {}

  /** Begins the first round at once. */
  start(): void {
    this.round = this.runTask();
  }

  /** Begins no further round, and waits for the one in hand. */
  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.timer) clearTimeout(this.timer);
    await this.round;
  }

  private async runTask(): Promise<void> {
    await this.work(this.stopping.signal).catch(this.options.onError);
    if (this.stopping.signal.aborted) return;
    this.timer = setTimeout(() => this.start(), this.options.intervalMs);
  }
}
