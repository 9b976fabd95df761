import { SlidingWindow } from './sliding-window.js';

/**
 * Windows by name, in two generations: one that was not used for a whole window length or more is dropped with the older
 * generation. Memory is limited by the names of two windows and by `windowsMax` per generation: above it the older generation is
 * dropped early, which can only admit more, never refuse.
 */
export class SlidingWindowStore {
  private current = new Map<string, SlidingWindow>();
  private previous = new Map<string, SlidingWindow>();
  private turnedAtMs = -Infinity;

  constructor(
    private readonly windowMs: number,
    private readonly windowsMax = 50_000,
  ) {}

  /** @returns the window of a name, created on first use */
  window(name: string, budget: number, nowMs: number): SlidingWindow {
    if (nowMs - this.turnedAtMs >= this.windowMs || this.current.size >= this.windowsMax)
      this.turnWindows(nowMs);
    const known = this.current.get(name);
    if (known) return known;
    const window = this.previous.get(name) ?? new SlidingWindow(budget, this.windowMs);
    this.current.set(name, window);
    return window;
  }

  private turnWindows(nowMs: number): void {
    this.previous = this.current;
    this.current = new Map();
    this.turnedAtMs = nowMs;
  }
}
