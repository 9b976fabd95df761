import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { CancellationPoll } from '@quarry/durable-work';
import type { RunGuard } from '../execution/run-guard.js';
import { BudgetGate } from './budget-gate.js';

const never = (): Promise<never> => new Promise(() => undefined);
const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i += 1) await Promise.resolve();
};

describe('calls of a run that hold their maximum price while in work', () => {
  it('are refused for the balance only if no other call is in work, whatever each holds, costs and takes', async () => {
    const piece = fc.record({ holds: fc.integer({ min: 1, max: 10 }), share: fc.nat(10), takes: fc.nat(8) });
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.array(piece, { maxLength: 25 }), async (start, pieces) => {
        const hand = new BudgetGate({ pause: never });
        let [available, charged, inWork] = [start, 0, 0];
        const ends = await Promise.all(
          pieces.map(({ holds, share, takes }) =>
            hand.readCovered(
              async () => {
                // No other call can free credits for it.
                const wasAlone = inWork === 0;
                if (available < holds) return { isSpent: true, wasAlone };
                inWork += 1;
                available -= holds;
                await turns(takes + 1);
                const cost = Math.floor((holds * share) / 10);
                charged += cost;
                available += holds - cost;
                inWork -= 1;
                return { isSpent: false, wasAlone };
              },
              ({ isSpent }) => isSpent,
            ),
          ),
        );
        expect(available + charged).toBe(start);
        for (const [i, { isSpent, wasAlone }] of ends.entries())
          if (isSpent) expect([i, wasAlone]).toEqual([i, true]);
        // Free calls are all made, one after the other, when the balance covers the largest one.
        const [most, isFree] = [
          Math.max(0, ...pieces.map(({ holds }) => holds)),
          pieces.every(({ share }) => share === 0),
        ];
        if (isFree && start >= most) expect(ends.filter(({ isSpent }) => isSpent)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('wake one waiting call for each that ends, and retry none while nothing has ended', async () => {
    const hand = new BudgetGate({ pause: never });
    const requests = new Map<string, number>();
    let freeSlots = 1;
    const ends: Array<() => void> = [];
    const work = (name: string) =>
      hand.readCovered(
        async () => {
          requests.set(name, (requests.get(name) ?? 0) + 1);
          if (freeSlots === 0) return 'spent';
          freeSlots -= 1;
          await new Promise<void>((resolve) => ends.push(resolve));
          freeSlots += 1;
          return name;
        },
        (end) => end === 'spent',
      );
    const all = [work('a'), work('b'), work('c')];
    await turns(20);
    expect([...requests]).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
    ends.shift()!();
    await turns(20);
    expect([...requests]).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ]);
    ends.shift()!();
    await turns(20);
    ends.shift()!();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
  });

  it('fail as their work does, which frees room like any other end, and as the cancellation poll does while they wait', async () => {
    let stop: (error: Error) => void = () => undefined;
    const stopped = new Promise<void>((_, reject) => (stop = reject));
    const hand = new BudgetGate({ pause: () => stopped });
    const first = hand.readCovered(
      () => turns(5).then(() => Promise.reject(new Error('broken'))),
      () => false,
    );
    const open = hand.readCovered(never, () => false);
    const waiting = hand.readCovered(
      () => Promise.resolve('spent'),
      (end) => end === 'spent',
    );
    await expect(first).rejects.toThrow('broken');
    stop(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    void open;
  });
});

describe('the cancellation poll of a run with hundreds of calls in work', () => {
  afterEach(() => void jest.restoreAllMocks());

  function watched() {
    const state = { now: 0, requests: 0, why: null as Error | null, stopping: new AbortController() };
    jest.spyOn(performance, 'now').mockImplementation(() => state.now);
    const guard = {
      checkpoint: async () => {
        state.requests += 1;
        await turns(1);
        if (state.why) throw state.why;
      },
      signal: state.stopping.signal,
    } as unknown as RunGuard;
    return { state, watch: new CancellationPoll(guard) };
  }

  it('asks once a second for all of them', async () => {
    const { state, watch } = watched();
    await Promise.all(Array.from({ length: 100 }, () => watch.check()));
    state.now = 999;
    await watch.check();
    expect(state.requests).toBe(1);
    state.now = 1_000;
    await Promise.all([watch.check(), watch.check()]);
    expect(state.requests).toBe(2);
  });

  it('tells all of them once it hears that the run must stop, permanently and with the first reason', async () => {
    const { state, watch } = watched();
    state.why = new Error('cancelled');
    const heard = await Promise.allSettled([watch.check(), watch.check()]);
    expect(heard.map((each) => each.status)).toEqual(['rejected', 'rejected']);
    state.why = null;
    state.now = 60_000;
    await expect(watch.check()).rejects.toThrow('cancelled');
    watch.stop(new Error('another'));
    await expect(watch.check()).rejects.toThrow('cancelled');
    expect(state.requests).toBe(1);
  });

  it('asks at once when a call pauses and the process stops', async () => {
    const { state, watch } = watched();
    await watch.check();
    state.why = new Error('handed back');
    const pausing = watch.pause(60_000);
    state.stopping.abort();
    await expect(pausing).rejects.toThrow('handed back');
  });
});
