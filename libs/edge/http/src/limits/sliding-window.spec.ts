import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SlidingWindow } from './sliding-window.js';
import { SlidingWindowStore } from './sliding-window.store.js';

const WINDOW_MS = 100;
const waits = fc.array(fc.nat(60), { maxLength: 200 });
const budgets = fc.integer({ min: 1, max: 20 });

/** Model by definition: counts the requests admitted within the last window. */
class Model {
  private times: number[] = [];
  constructor(private readonly budget: number) {}
  take(nowMs: number): boolean {
    this.times = this.times.filter((time) => time > nowMs - WINDOW_MS);
    if (this.times.length >= this.budget) return false;
    this.times.push(nowMs);
    return true;
  }
}

function take(window: SlidingWindow, nowMs: number): boolean {
  if (window.remaining(nowMs) <= 0) return false;
  window.add(nowMs);
  return true;
}

describe('a sliding window', () => {
  it('admits exactly what its definition allows', () => {
    fc.assert(
      fc.property(budgets, waits, (budget, steps) => {
        const window = new SlidingWindow(budget, WINDOW_MS);
        const model = new Model(budget);
        let nowMs = 0;
        for (const step of steps) {
          nowMs += step;
          expect(take(window, nowMs)).toBe(model.take(nowMs));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('admits again after the announced time, and not a moment before', () => {
    fc.assert(
      fc.property(budgets, waits, (budget, steps) => {
        const window = new SlidingWindow(budget, WINDOW_MS);
        let nowMs = 0;
        for (const step of steps) {
          nowMs += step;
          if (take(window, nowMs)) continue;
          const untilMs = window.untilNextMs(nowMs);
          expect(window.remaining(nowMs + untilMs - 1)).toBeLessThanOrEqual(0);
          nowMs += untilMs;
          expect(take(window, nowMs)).toBe(true);
        }
      }),
    );
  });
});

describe('a store of sliding windows', () => {
  it('counts each name separately, while it forgets expired entries', () => {
    const uses = fc.array(fc.tuple(fc.nat(60), fc.constantFrom('a', 'b', 'c')), { maxLength: 200 });
    fc.assert(
      fc.property(budgets, uses, (budget, steps) => {
        const book = new SlidingWindowStore(WINDOW_MS);
        const models = new Map(['a', 'b', 'c'].map((name) => [name, new Model(budget)]));
        let nowMs = 0;
        for (const [step, name] of steps) {
          nowMs += step;
          expect(take(book.window(name, budget, nowMs), nowMs)).toBe(models.get(name)?.take(nowMs));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
