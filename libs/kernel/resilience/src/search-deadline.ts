/** Time limit of a search. It is paused while the search waits for its turn, so that jobs of a large batch do not expire. */
export class SearchDeadline {
  private readonly abort = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private leftMs: number;
  private startedAt = 0;
  private holds = 0;

  constructor(ms: number) {
    this.leftMs = ms;
    this.start();
  }

  /** Fires when the time is up. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Pauses the clock. @returns the function that resumes it, to be called once */
  hold(): () => void {
    this.holds += 1;
    if (this.holds === 1) this.stop();
    return () => {
      this.holds -= 1;
      if (this.holds === 0) this.start();
    };
  }

  /** Cancels the deadline for good. */
  clear(): void {
    this.stop();
    this.holds = Infinity;
  }

  private start(): void {
    this.startedAt = performance.now();
    const late = (): void =>
      this.abort.abort(new DOMException('The search did not end in time.', 'TimeoutError'));
    this.timer = setTimeout(late, this.leftMs);
  }

  private stop(): void {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.leftMs -= performance.now() - this.startedAt;
  }
}
