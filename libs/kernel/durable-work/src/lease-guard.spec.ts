import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LeaseGuard } from './lease-guard.js';
import { leaseTiming } from './lease-timing.js';
import {
  AccessRevokedError,
  LeaseLostError,
  WorkCancelledError,
  WorkHandedBackError,
} from './work-errors.js';

const TIMING = leaseTiming(30_000);

describe('a lease guard', () => {
  let stands: boolean | Error;
  let signals: { isCancelled: boolean } | null;
  let isRevoked: boolean;
  let stopping: AbortController;
  let guard: LeaseGuard;

  beforeEach(() => {
    jest.useFakeTimers();
    [stands, signals, isRevoked, stopping] = [true, { isCancelled: false }, false, new AbortController()];
    const lease = {
      renew: async () => {
        if (stands instanceof Error) throw stands;
        return stands;
      },
      readSignals: async () => signals,
      checkAccess: async () => {
        if (isRevoked) throw new AccessRevokedError('revoked');
      },
    };
    guard = new LeaseGuard(lease, TIMING, stopping.signal);
  });
  afterEach(() => {
    guard.close();
    jest.useRealTimers();
  });

  it('lets work continue as long as its lease is renewed', async () => {
    await jest.advanceTimersByTimeAsync(10 * TIMING.leaseMs);
    await guard.checkpoint();
    expect(guard.signal.aborted).toBe(false);
  });

  it('ends work whose lease was not confirmed for two thirds of it, before another process can claim it', async () => {
    stands = new Error('storage is away');
    await jest.advanceTimersByTimeAsync(TIMING.validMs - 1);
    guard.throwIfTaken();
    await jest.advanceTimersByTimeAsync(2);
    expect(() => guard.throwIfTaken()).toThrow(LeaseLostError);
    await jest.advanceTimersByTimeAsync(TIMING.heartbeatMs);
    expect(guard.signal.reason).toBeInstanceOf(LeaseLostError);
  });

  it('ends work that another process has claimed', async () => {
    signals = null;
    await expect(guard.checkpoint()).rejects.toThrow(LeaseLostError);
    stands = false;
    await jest.advanceTimersByTimeAsync(TIMING.heartbeatMs);
    expect(guard.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(() => guard.throwIfTaken()).toThrow(LeaseLostError);
  });

  it('ends work that was cancelled, lost its access, or is handed back at a stop', async () => {
    isRevoked = true;
    await expect(guard.checkpoint()).rejects.toThrow(AccessRevokedError);
    signals = { isCancelled: true };
    await expect(guard.checkpoint()).rejects.toThrow(WorkCancelledError);
    stopping.abort();
    await expect(guard.checkpoint()).rejects.toThrow(WorkHandedBackError);
    expect(guard.signal.reason).toBeInstanceOf(WorkHandedBackError);
  });

  it('starts no work if the process began to stop while the lease was claimed', () => {
    stopping.abort();
    const late = new LeaseGuard({ renew: async () => true }, TIMING, stopping.signal);
    late.close();
    expect(late.signal.reason).toBeInstanceOf(WorkHandedBackError);
    expect(() => late.throwIfTaken()).toThrow(WorkHandedBackError);
  });

  it('tells work within a step that it was cancelled, within the promised 5 seconds', async () => {
    signals = { isCancelled: true };
    await jest.advanceTimersByTimeAsync(4_999);
    expect(guard.signal.reason).toBeInstanceOf(WorkCancelledError);
  });
});
