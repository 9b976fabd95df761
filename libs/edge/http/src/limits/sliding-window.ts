/**
 * An exact sliding window: the times of admitted requests in a ring buffer that grows up to the budget. Amortised constant time
 * per request.
 */
export class SlidingWindow {
  private times = new Float64Array(4);
  private oldest = 0;
  private count = 0;

  constructor(
    private readonly budget: number,
    private readonly windowMs: number,
  ) {}

  /** @returns the number of requests that the window still admits */
  remaining(nowMs: number): number {
    while (this.count > 0 && this.times[this.oldest]! <= nowMs - this.windowMs) {
      this.oldest = (this.oldest + 1) % this.times.length;
      this.count -= 1;
    }
    return this.budget - this.count;
  }

  /** Counts a request. Must only be called when {@link remaining} is positive. */
  add(nowMs: number): void {
    if (this.count === this.times.length) this.growRing();
    this.times[(this.oldest + this.count) % this.times.length] = nowMs;
    this.count += 1;
  }

  /** @returns milliseconds until the oldest counted request leaves; 0 when none is counted */
  untilNextMs(nowMs: number): number {
    return this.count === 0 ? 0 : this.times[this.oldest]! + this.windowMs - nowMs;
  }

  private growRing(): void {
    const times = new Float64Array(Math.min(this.times.length * 2, Math.max(this.budget, 4)));
    for (let i = 0; i < this.count; i += 1) times[i] = this.times[(this.oldest + i) % this.times.length]!;
    this.times = times;
    this.oldest = 0;
  }
}
