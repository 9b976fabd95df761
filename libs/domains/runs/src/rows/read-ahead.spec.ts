import { describe, expect, it } from '@jest/globals';
import { readAhead } from './read-ahead.js';

describe('readAhead', () => {
  it('reads one item ahead, and no more, while the caller works on one', async () => {
    const read: number[] = [];
    async function* source(): AsyncGenerator<number> {
      for (let i = 1; i <= 4; i += 1) {
        read.push(i);
        await Promise.resolve();
        yield i;
      }
    }
    const seen: number[][] = [];
    for await (const item of readAhead(source())) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push([item, read.length]);
    }
    expect(seen).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 4],
    ]);
  });

  it('throws an error of the source after the items before it', async () => {
    async function* source(): AsyncGenerator<number> {
      yield 1;
      await Promise.resolve();
      throw new Error('The search broke off.');
    }
    const given: number[] = [];
    const all = (async () => {
      for await (const item of readAhead(source())) given.push(item);
    })();
    await expect(all).rejects.toThrow('The search broke off.');
    expect(given).toEqual([1]);
  });

  it('closes the source when the caller stops', async () => {
    let isClosed = false;
    async function* source(): AsyncGenerator<number> {
      try {
        for (let i = 0; ; i += 1) {
          await Promise.resolve();
          yield i;
        }
      } finally {
        isClosed = true;
      }
    }
    for await (const item of readAhead(source())) if (item === 1) break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(true);
  });
});
