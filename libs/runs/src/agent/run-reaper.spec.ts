import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Logger } from '@quarry/platform';
import type { RunLeaseStore } from './run-lease.store.js';
import { RunReaper } from './run-reaper.js';

/** A run is found within this time after its lease has ended. */
const ROUND_MS = 3000;

describe('the reaper of runs', () => {
  let lost: string[];
  let silent: string[];
  let delivered: string[];
  let logged: string[];
  let reap: () => Promise<void>;
  let reaper: RunReaper;

  beforeEach(() => {
    jest.useFakeTimers();
    [lost, silent, delivered, logged] = [[], [], [], []];
    reap = async () => undefined;
    const leases = {
      // A run that has lost its agent waits for a delivery from then on.
      reapLost: async () => (await reap(), silent.push(...lost), lost.splice(0)),
      takeSilent: async () => silent.splice(0),
    } as unknown as RunLeaseStore;
    const logger = { warn: (_facts: unknown, message: string) => logged.push(message) } as unknown as Logger;
    reaper = new RunReaper(leases, async (runId) => void delivered.push(runId), logger);
  });
  afterEach(async () => {
    await reaper.stop();
    jest.useRealTimers();
  });

  it('delivers what waits at once, and what is lost later within its interval', async () => {
    silent = ['run_1'];
    reaper.start();
    await jest.advanceTimersByTimeAsync(0);
    expect(delivered).toEqual(['run_1']);
    lost = ['run_2'];
    await jest.advanceTimersByTimeAsync(ROUND_MS);
    expect(delivered).toEqual(['run_1', 'run_2']);
    expect(logged).toEqual(['runs lost their agent']);
  });

  it('goes on after a round in which storage was away', async () => {
    reap = () => Promise.reject(new Error('storage is away'));
    reaper.start();
    await jest.advanceTimersByTimeAsync(ROUND_MS);
    expect(new Set(logged)).toEqual(new Set(['runs could not be looked after']));
    reap = async () => undefined;
    lost = ['run_1'];
    await jest.advanceTimersByTimeAsync(ROUND_MS);
    expect(delivered).toEqual(['run_1']);
  });

  it('stops after the round in hand, and begins no other', async () => {
    let end: () => void = () => undefined;
    reap = () => new Promise((resolve) => (end = resolve));
    lost = ['run_1'];
    reaper.start();
    let isStopped = false;
    const stopped = reaper.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(ROUND_MS);
    expect([isStopped, delivered]).toEqual([false, []]);
    end();
    await stopped;
    expect(delivered).toEqual(['run_1']);
    lost = ['run_2'];
    await jest.advanceTimersByTimeAsync(10 * ROUND_MS);
    expect(delivered).toEqual(['run_1']);
  });
});
