/** Maximum number of calls that may start within any period of this length. */
export interface Rate {
  calls: number;
  windowMs: number;
}

/** Start times of calls: no period of the rate's length may contain more of them than it allows. */
class RateWindow {
  /** Oldest first. Some may be in the future. */
  private starts: number[] = [];

  constructor(private readonly rate: Rate) {}

  /** @returns the earliest possible start from this time on, possibly between booked starts if one was given back */
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

  /** @returns the first start of a full window that this one would share; undefined if it fits */
  private crowdAt(at: number): number | undefined {
    const { calls, windowMs } = this.rate;
    const near = this.starts.filter((each) => each + windowMs > at && at + windowMs > each);
    return near.findLast((first, i) => {
      const last = near[i + calls - 1];
      return last !== undefined && Math.min(first, at) + windowMs > Math.max(last, at);
    });
  }
}

export interface Booking {
  /** Milliseconds until the start; 0 for immediately. */
  waitMs: number;
  /** Releases the start, so that the next call may use it. */
  giveBack: () => void;
}

/** Several combined rates, such as ten per second and three hundred per minute. */
export class RateWindows {
  private readonly windows: readonly RateWindow[];

  constructor(
    rates: readonly Rate[],
    private readonly now: () => number,
  ) {
    this.windows = rates.map((rate) => new RateWindow(rate));
  }

  /** @returns milliseconds until the next start that all rates allow, without booking it */
  get waitMs(): number {
    return this.earliest() - this.now();
  }

  /**
   * Books the next start that all rates allow.
   * @param waitMaxMs longest acceptable wait
   * @returns null if the wait would be longer; nothing is booked then
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
