import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PeriodicTask } from './periodic-task.js';

describe('a periodic task', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('starts at once, and again an interval after each end, even after a failure', async () => {
    const errors: unknown[] = [];
    let rounds = 0;
    const work = () => (++rounds === 1 ? Promise.reject(new Error('first')) : Promise.resolve());
    const task = new PeriodicTask(work, { intervalMs: 1000, onError: (error) => errors.push(error) });
    task.start();
    expect(rounds).toBe(1);
    await jest.advanceTimersByTimeAsync(999);
    expect(rounds).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(rounds).toBe(2);
    expect(errors).toEqual([new Error('first')]);
    await task.stop();
  });

  it('waits at a stop for the running round, and starts no other', async () => {
    let end: () => void = () => undefined;
    let rounds = 0;
    const work = () => new Promise<void>((resolve) => ((rounds += 1), (end = resolve)));
    const task = new PeriodicTask(work, { intervalMs: 10, onError: () => undefined });
    task.start();
    let isStopped = false;
    const stopped = task.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(100);
    expect(isStopped).toBe(false);
    end();
    await stopped;
    await jest.advanceTimersByTimeAsync(100);
    expect(rounds).toBe(1);
  });
});
