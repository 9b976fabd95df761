/** So many calls may start within any span of this length. */
export interface Rate {
  calls: number;
  windowMs: number;
}

/** Gives each call the earliest start at which no span of time has more starts than its rate allows. */
export class RateWindow {
  /** The last starts, oldest first; never more than the rate's calls. Some may lie ahead. */
  private readonly starts: number[] = [];

  constructor(
    private readonly rate: Rate,
    private readonly now: () => number,
  ) {}

  /** @returns milliseconds until one more call may start; 0 when it may now */
  get waitMs(): number {
    const { calls, windowMs } = this.rate;
    const oldest = this.starts.length < calls ? undefined : this.starts[this.starts.length - calls];
    return oldest === undefined ? 0 : Math.max(0, oldest + windowMs - this.now());
  }

  /** A call starts `inMs` from now. */
  take(inMs: number): void {
    this.starts.push(this.now() + inMs);
    if (this.starts.length > this.rate.calls) this.starts.shift();
  }
}

/** Several rates at once, such as ten in a second and three hundred in a minute. */
export class RateWindows {
  private readonly windows: readonly RateWindow[];

  constructor(rates: readonly Rate[], now: () => number) {
    this.windows = rates.map((rate) => new RateWindow(rate, now));
  }

  /** Books the next start that all rates allow. @returns milliseconds until then */
  book(): number {
    const waitMs = Math.max(0, ...this.windows.map((each) => each.waitMs));
    for (const each of this.windows) each.take(waitMs);
    return waitMs;
  }
}
