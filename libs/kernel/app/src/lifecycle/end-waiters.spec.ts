import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EndWaiters } from './end-waiters.js';
import { HeldReads } from './held-reads.js';

/** Ids that have ended, and the ids of each query. */
let ended: Set<string>;
let calls: string[][];
let waiters: EndWaiters;
let answer: (ids: string[]) => Promise<string[]>;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  ended = new Set();
  calls = [];
  answer = (ids) => Promise.resolve(ids.filter((id) => ended.has(id)));
  waiters = new EndWaiters((_ctx, ids) => {
    calls.push(ids);
    return answer(ids);
  });
});
afterEach(async () => {
  waiters.close();
  calls = [];
  // Other specs of the worker may leave timers, so that the number of all timers would tell nothing.
  await jest.advanceTimersByTimeAsync(10_000);
  expect([waiters.size, calls]).toEqual([0, []]);
  jest.useRealTimers();
});

/** @returns the result of a wait so far */
function stateOf(wait: Promise<boolean>): () => Promise<boolean | 'waits'> {
  return () => Promise.race([wait, new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')))]);
}

describe('reads that wait for work to end', () => {
  it('are answered soon if it ends soon: each new one is part of three quick queries', async () => {
    const waits = ['a', 'b', 'a'].map((id) => stateOf(waiters.waitForEnd(id, 60_000)));
    await jest.advanceTimersByTimeAsync(15);
    expect(calls.splice(0)).toEqual([['a', 'b']]);
    waits.push(stateOf(waiters.waitForEnd('c', 60_000)));
    ended.add('a');
    await jest.advanceTimersByTimeAsync(30);
    expect(calls.splice(0)).toEqual([['c'], ['a', 'b']]);
    expect(await Promise.all(waits.map((each) => each()))).toEqual([true, 'waits', true, 'waits']);
    await jest.advanceTimersByTimeAsync(200);
    expect(calls).toEqual([['c'], ['b'], ['c']]);
    await jest.advanceTimersByTimeAsync(5);
    expect(calls.at(-1)).toEqual(['b', 'c']);
  });

  it('are answered within a quarter of a second of the end, by one query for all of them', async () => {
    const waits = ['a', 'b', 'a', 'c'].map((id) => stateOf(waiters.waitForEnd(id, 60_000)));
    expect(waiters.size).toBe(4);
    await jest.advanceTimersByTimeAsync(249);
    calls = [];
    await jest.advanceTimersByTimeAsync(1);
    expect(calls).toEqual([['a', 'b', 'c']]);
    ended.add('a');
    await jest.advanceTimersByTimeAsync(250);
    expect(await Promise.all(waits.map((each) => each()))).toEqual([true, 'waits', true, 'waits']);
    expect(calls).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
    await jest.advanceTimersByTimeAsync(250);
    expect([calls.at(-1), waiters.size]).toEqual([['b', 'c'], 2]);
  });

  it('time out separately', async () => {
    const [short, long] = [stateOf(waiters.waitForEnd('a', 100)), stateOf(waiters.waitForEnd('a', 200))];
    await jest.advanceTimersByTimeAsync(100);
    expect([await short(), await long()]).toEqual([false, 'waits']);
    await jest.advanceTimersByTimeAsync(100);
    expect([await long(), waiters.size]).toEqual([false, 0]);
    // Without waiters there is no query.
    calls = [];
    await jest.advanceTimersByTimeAsync(10_000);
    expect(calls).toEqual([]);
  });

  it('are checked again when a new one comes after a time without any', async () => {
    const first = stateOf(waiters.waitForEnd('a', 100));
    await jest.advanceTimersByTimeAsync(1_000);
    const second = stateOf(waiters.waitForEnd('b', 60_000));
    ended.add('b');
    await jest.advanceTimersByTimeAsync(250);
    expect([await first(), await second()]).toEqual([false, true]);
  });

  it('are answered at once if this process has seen the end', async () => {
    const wait = stateOf(waiters.waitForEnd('a', 60_000));
    ended.add('a');
    await waiters.checkEnds();
    expect(await wait()).toBe(true);
  });

  it('survive a failed query, and no query starts while one hangs', async () => {
    const wait = stateOf(waiters.waitForEnd('a', 60_000));
    answer = () => Promise.reject(new Error('connection lost'));
    await jest.advanceTimersByTimeAsync(500);
    expect([await wait(), calls.length]).toEqual(['waits', 5]);
    calls = [];
    let goOn: (ids: string[]) => void = () => undefined;
    answer = () => new Promise((resolve) => (goOn = resolve));
    await jest.advanceTimersByTimeAsync(2_500);
    expect(calls).toHaveLength(1);
    goOn(['a', 'unknown']);
    expect(await wait()).toBe(true);
  });

  it('are answered at once when the process stops, and none waits after that', async () => {
    const waits = ['a', 'b'].map((id) => stateOf(waiters.waitForEnd(id, 60_000)));
    waiters.onApplicationShutdown();
    expect(await Promise.all(waits.map((each) => each()))).toEqual([false, false]);
    expect(await waiters.waitForEnd('c', 60_000)).toBe(false);
  });

  it('are limited to ten thousand at a time', async () => {
    const waits = Array.from({ length: 10_000 }, (_, i) => waiters.waitForEnd(`id_${i}`, 60_000));
    expect(await waiters.waitForEnd('one more', 60_000)).toBe(false);
    ended.add('id_5');
    await waiters.checkEnds();
    const again = stateOf(waiters.waitForEnd('one more', 60_000));
    expect([await waits[5], await again(), waiters.size]).toEqual([true, 'waits', 10_000]);
  });
});

describe('waiting reads of a process', () => {
  const never = <T>(): Promise<T> => new Promise(() => undefined);

  it('return what they waited for, or the current state when the process stops', async () => {
    const reads = new HeldReads();
    expect(
      await reads.answerHeldRead(
        () => Promise.resolve('held'),
        () => Promise.resolve('now'),
      ),
    ).toBe('held');
    const waiting = reads.answerHeldRead(never<string>, () => Promise.resolve('now'));
    reads.close();
    expect(await waiting).toBe('now');
    let isHeld = false;
    const late = reads.answerHeldRead(
      () => ((isHeld = true), never<string>()),
      () => Promise.resolve('now'),
    );
    expect([await late, isHeld]).toEqual(['now', false]);
  });

  it('fail as their query does, without an unhandled rejection after the process stops', async () => {
    const reads = new HeldReads();
    const fail = () => Promise.reject(new Error('storage is away'));
    await expect(reads.answerHeldRead(fail, () => Promise.resolve(1))).rejects.toThrow('storage is away');
    let lose: (error: Error) => void = () => undefined;
    const lost = new Promise<number>((_, reject) => (lose = reject));
    const waiting = reads.answerHeldRead(
      () => lost,
      () => Promise.resolve(2),
    );
    reads.close();
    expect(await waiting).toBe(2);
    // Would be an unhandled rejection without a handler.
    lose(new Error('too late'));
    await new Promise(setImmediate);
  });
});
