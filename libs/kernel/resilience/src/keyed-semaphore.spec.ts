import { describe, expect, it } from '@jest/globals';
import { KeyedSemaphore } from './keyed-semaphore.js';

/** Creates work that ends on demand. */
function opened(share: KeyedSemaphore) {
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const enter = (key: string, name: string): Promise<void> =>
    share.use(key, () => {
      log.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { log, enter, end };
}

const refusal = () => new Error('come again');

describe('a semaphore shared by keys', () => {
  it('admits up to its size, and per key up to a share, in order of arrival', async () => {
    const { log, enter, end } = opened(
      new KeyedSemaphore({ size: 3, each: 2, timeout: { ms: 60_000, refusal } }),
    );
    const all = [enter('a', 'a1'), enter('a', 'a2'), enter('a', 'a3'), enter('b', 'b1'), enter('c', 'c1')];
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(['a1', 'a2', 'b1']);
    await end('b1');
    expect(log).toEqual(['a1', 'a2', 'b1', 'c1']);
    await end('a1');
    expect(log).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
    for (const name of ['a2', 'a3', 'c1']) await end(name);
    await Promise.all(all);
  });

  it('serves the keys in turn, however many requests one made before the others came', async () => {
    const { log, enter, end } = opened(
      new KeyedSemaphore({ size: 1, each: 1, timeout: { ms: 60_000, refusal } }),
    );
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => enter(name[0]!, name));
    for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(log.at(-1)).toBe(name);
      await end(name);
    }
    await Promise.all(all);
  });

  it('serves a waiting key in its turn, however often others come back', async () => {
    const { log, enter, end } = opened(
      new KeyedSemaphore({ size: 1, each: 1, timeout: { ms: 60_000, refusal } }),
    );
    const all = ['a1', 'a2', 'b1', 'c1'].map((name) => enter(name[0]!, name));
    for (const name of ['a1', 'b1', 'c1', 'a2']) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(log.at(-1)).toBe(name);
      // It enters again before the next turn is given.
      const again = `${name[0]}-again`;
      if (name !== 'a1' && name !== 'a2') all.push(enter(name[0]!, again));
      await end(name);
    }
    for (const name of ['b-again', 'c-again']) await end(name);
    await Promise.all(all);
  });

  it('refuses a request that waited too long, and keeps no place for it', async () => {
    const share = new KeyedSemaphore({ size: 1, each: 1, timeout: { ms: 10, refusal } });
    const { log, enter, end } = opened(share);
    const first = enter('a', 'a1');
    const second = enter('b', 'b1');
    expect(share.readMetrics()).toEqual({ running: 1, waiting: 1, waits: 1, waitedMs: 0, refusals: 0 });
    await expect(second).rejects.toThrow('come again');
    const { waitedMs, ...others } = share.readMetrics();
    expect(others).toEqual({ running: 1, waiting: 0, waits: 1, refusals: 1 });
    expect(waitedMs).toBeGreaterThan(1);
    await end('a1');
    await first;
    const next = enter('c', 'c1');
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(['a1', 'c1']);
    await end('c1');
    await next;
  });
});
