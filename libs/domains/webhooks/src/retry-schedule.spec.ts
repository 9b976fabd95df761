import { describe, expect, it } from '@jest/globals';
import { nextTryMs, TRIES_MAX } from './retry-schedule.js';

const MIDDLE = () => 0.5;

describe('the delay before the next delivery attempt', () => {
  it('grows each time, with ten attempts within four days', () => {
    const delays = Array.from({ length: TRIES_MAX }, (_, i) => nextTryMs(i + 1, 0, MIDDLE));
    expect(delays.at(-1)).toBeNull();
    const waits = delays.slice(0, -1) as number[];
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    const hours = waits.reduce((sum, ms) => sum + ms, 0) / 3_600_000;
    expect([waits[0], waits.length, Math.round(hours)]).toEqual([5_000, 9, 76]);
  });

  it('varies by at most a fifth', () => {
    expect([nextTryMs(2, 0, () => 0), nextTryMs(2, 0, () => 1)]).toEqual([240_000, 360_000]);
  });

  it('is as long as the receiver asks, at most a day', () => {
    expect(nextTryMs(1, 60_000, MIDDLE)).toBe(60_000);
    expect(nextTryMs(2, 60_000, MIDDLE)).toBe(300_000);
    expect(nextTryMs(1, 10 ** 12, MIDDLE)).toBe(86_400_000);
    expect(nextTryMs(TRIES_MAX, 60_000, MIDDLE)).toBeNull();
  });
});
