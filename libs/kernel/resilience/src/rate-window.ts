/** So many calls may start within any span of this length. */
export interface Rate {
  calls: number;
  windowMs: number;
}

/** Knows the starts of calls, and when one more fits: no span of time may have more of them than its rate allows. */
class RateWindow {
  /** Oldest first. Some may lie ahead. */
  private starts: number[] = [];

  constructor(private readonly rate: Rate) {}

  /** @returns the earliest start from this time on; also between starts that are booked, where one was given back */
  earliest(from: number): number {
    for (let at = from; ;) {
      const crowd = this.crowdAt(at);
      if (crowd === undefined) return at;
      at = crowd + this.rate.windowMs;
    }
  }

  book(at: number, now: number): void {
    const { windowMs } = this.rate;
    this.starts = [...this.starts.filter((each) => each + windowMs > now), at].sort((a, b) => a - b);
  }

  giveBack(at: number): void {
    const index = this.starts.indexOf(at);
    if (index >= 0) this.starts.splice(index, 1);
  }

  /** @returns the first of as many starts as are allowed that lie with this one in one span; undefined where it fits */
  private crowdAt(at: number): number | undefined {
    const { calls, windowMs } = this.rate;
    const near = this.starts.filter((each) => each + windowMs > at && at + windowMs > each);
    return near.findLast((first, i) => {
      const last = near[i + calls - 1];
      return last !== undefined && Math.min(first, at) + windowMs > Math.max(last, at);
    });
  }
}

/** A start that was booked. */
export interface Booking {
  /** Milliseconds until then; 0 for now. */
  waitMs: number;
  /** To be called by who does not start then: the next one may. */
  giveBack: () => void;
}

/** Several rates at once, such as ten in a second and three hundred in a minute. */
export class RateWindows {
  private readonly windows: readonly RateWindow[];

  constructor(
    rates: readonly Rate[],
    private readonly now: () => number,
  ) {
    this.windows = rates.map((rate) => new RateWindow(rate));
  }

  /** @returns milliseconds until the next start that all rates allow; nothing is booked */
  get waitMs(): number {
    return this.earliest() - this.now();
  }

  /**
   * Books the next start that all rates allow.
   * @param waitMaxMs longest wait until then
   * @returns null when it would be longer; nothing is booked then
   */
  book(waitMaxMs: number): Booking | null;
  book(): Booking;
  book(waitMaxMs = Infinity): Booking | null {
    const [now, at] = [this.now(), this.earliest()];
    if (at - now > waitMaxMs) return null;
    for (const each of this.windows) each.book(at, now);
    let held = this.windows;
    return {
      waitMs: at - now,
      giveBack: () => {
        for (const each of held) each.giveBack(at);
        held = [];
      },
    };
  }

  private earliest(): number {
    for (let at = this.now(); ;) {
      const next = this.windows.reduce((from, each) => each.earliest(from), at);
      if (next === at) return at;
      at = next;
    }
  }
}
