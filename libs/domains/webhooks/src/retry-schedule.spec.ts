import { describe, expect, it } from '@jest/globals';
import { nextTryMs, TRIES_MAX } from './retry-schedule.js';

const MIDDLE = () => 0.5;

describe('the next attempt of a delivery', () => {
  it('comes later each time, ten of them within four days', () => {
    const delays = Array.from({ length: TRIES_MAX }, (_, i) => nextTryMs(i + 1, 0, MIDDLE));
    expect(delays.at(-1)).toBeNull();
    const waits = delays.slice(0, -1) as number[];
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    const hours = waits.reduce((sum, ms) => sum + ms, 0) / 3_600_000;
    expect([waits[0], waits.length, Math.round(hours)]).toEqual([5_000, 9, 76]);
  });

  it('is moved by a fifth at most', () => {
    expect([nextTryMs(2, 0, () => 0), nextTryMs(2, 0, () => 1)]).toEqual([240_000, 360_000]);
  });

  it('waits as long as the receiver asks, a day at most', () => {
    expect(nextTryMs(1, 60_000, MIDDLE)).toBe(60_000);
    expect(nextTryMs(2, 60_000, MIDDLE)).toBe(300_000);
    expect(nextTryMs(1, 10 ** 12, MIDDLE)).toBe(86_400_000);
    expect(nextTryMs(TRIES_MAX, 60_000, MIDDLE)).toBeNull();
  });
});
