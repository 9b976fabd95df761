import { afterEach, expect, it, jest } from '@jest/globals';
import { WorkHandedBackError } from '@quarry/durable-work';
import type { DirectOutcome } from '../ports/direct-calls.port.js';
import { DirectCaller } from './direct-caller.js';

afterEach(() => void jest.restoreAllMocks());

it('a call still undecided when its patience ends hands the run back: it may have been charged', async () => {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const later: DirectOutcome = { kind: 'later', error: { code: 'upstream_error', message: 'Away.' } };
  const keys = new Set<string>();
  const calls = {
    callService: async (_ctx: unknown, { key }: { key: string }) => (keys.add(key), (now += 40_000), later),
  };
  const watch = { check: async () => undefined, pause: async () => undefined };
  const caller = new DirectCaller(calls as never, { id: 'run_1' } as never, watch as never);
  await expect(caller.callService('findDomain', { company: 'A' }, 0)).rejects.toThrow(WorkHandedBackError);
  expect([keys.size, now]).toEqual([1, 120_000]);
});

it('a lasting fault of the services ends its call, and not the run', async () => {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const error = { code: 'internal_error', message: 'An unexpected error happened.' };
  const calls = { callService: async () => ((now += 40_000), { kind: 'later', error }) };
  const watch = { check: async () => undefined, pause: async () => undefined };
  const caller = new DirectCaller(calls as never, { id: 'run_1' } as never, watch as never);
  expect(await caller.callService('findDomain', { company: 'A' }, 0)).toEqual({ kind: 'refused', error });
  expect(now).toBe(120_000);
});
