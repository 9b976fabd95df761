import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CircuitBreaker } from './circuit-breaker.js';
import { KeyedSemaphore } from './keyed-semaphore.js';
import { RateWindows } from './rate-window.js';
import { RetryBudget } from './retry-budget.js';
import { RollingCount } from './rolling-count.js';

const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a rolling count', () => {
  it('forgets entries older than its window', () => {
    let now = 0;
    const count = new RollingCount<'a' | 'b'>(1000, () => now);
    count.add('a');
    now = 500;
    count.add('a');
    count.add('b');
    expect([count.of('a'), count.of('b')]).toEqual([2, 1]);
    now = 1000;
    expect(count.of('a')).toBe(1);
    now = 1500;
    expect([count.of('a'), count.of('b')]).toEqual([0, 0]);
  });
});

describe('a concurrency limit', () => {
  it('admits up to its size, and the next when one leaves', async () => {
    const limit = new KeyedSemaphore({ size: 2 });
    const leaves = await Promise.all([limit.enter('a', never), limit.enter('a', never)]);
    let isIn = false;
    const third = limit.enter('a', never).then((leave) => ((isIn = true), leave));
    await settled();
    expect([isIn, limit.readMetrics().running, limit.readMetrics().waiting]).toEqual([false, 2, 1]);
    leaves[0]!();
    (await third)();
    leaves[1]!();
    expect([limit.readMetrics().running, limit.readMetrics().waiting]).toEqual([0, 0]);
  });

  it('keeps places that one kind alone cannot take', async () => {
    const limit = new KeyedSemaphore({ size: 3, each: 2 });
    const order: string[] = [];
    const enter = (kind: string) => limit.enter(kind, never).then((leave) => (order.push(kind), leave));
    const leaves = await Promise.all([enter('a'), enter('a')]);
    const [third, fourth] = [enter('a'), enter('a')];
    const [other] = await Promise.all([enter('b'), settled()]);
    expect([order, limit.readMetrics().running, limit.readMetrics().waiting]).toEqual([
      ['a', 'a', 'b'],
      3,
      2,
    ]);
    other();
    await settled();
    expect([order.length, limit.readMetrics().running]).toEqual([3, 2]);
    for (const leave of leaves) leave();
    for (const leave of await Promise.all([third, fourth])) leave();
    expect([order, limit.readMetrics().running, limit.readMetrics().waiting]).toEqual([
      ['a', 'a', 'b', 'a', 'a'],
      0,
      0,
    ]);
  });

  it('serves kinds in turn, and within a kind by arrival', async () => {
    const limit = new KeyedSemaphore({ size: 1 });
    const order: string[] = [];
    const first = await limit.enter('email', never);
    const rest = ['email-1', 'email-2', 'email-3', 'research-1', 'research-2'].map(async (name) => {
      const leave = await limit.enter(name.split('-')[0]!, never);
      order.push(name);
      leave();
    });
    first();
    await Promise.all(rest);
    expect(order).toEqual(['research-1', 'email-1', 'research-2', 'email-2', 'email-3']);
  });

  it('keeps no place for a caller that gave up waiting', async () => {
    const limit = new KeyedSemaphore({ size: 1 });
    const leave = await limit.enter('a', never);
    const abort = new AbortController();
    const waiting = limit.enter('a', abort.signal);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(limit.enter('a', abort.signal)).rejects.toThrow('enough');
    leave();
    expect([limit.readMetrics().running, limit.readMetrics().waiting]).toEqual([0, 0]);
  });
});

describe('rate windows', () => {
  it('allow a number of starts in any second and any minute, and no more', () => {
    let now = 0;
    const second = { calls: 3, windowMs: 1000 };
    const rates = new RateWindows([second, { calls: 7, windowMs: 60_000 }], () => now);
    const starts = Array.from({ length: 9 }, () => now + rates.book().waitMs);
    expect(starts).toEqual([0, 0, 0, 1000, 1000, 1000, 2000, 60_000, 60_000]);
    now = 61_500;
    expect(Array.from({ length: 4 }, () => rates.book().waitMs)).toEqual([0, 0, 0, 1000]);
    expect(new RateWindows([], () => now).book().waitMs).toBe(0);
  });

  it('give a returned booking to the next caller, and never more', () => {
    const rates = new RateWindows([{ calls: 2, windowMs: 1000 }], () => 500);
    const booked = Array.from({ length: 6 }, () => rates.book());
    expect(booked.map(({ waitMs }) => waitMs)).toEqual([0, 0, 1000, 1000, 2000, 2000]);
    booked[5]!.giveBack();
    booked[2]!.giveBack();
    booked[2]!.giveBack();
    expect(Array.from({ length: 3 }, () => rates.book().waitMs)).toEqual([1000, 2000, 3000]);
  });

  it('book nothing for a caller that would wait too long', () => {
    const rates = new RateWindows([{ calls: 1, windowMs: 1000 }], () => 0);
    rates.book();
    expect([rates.book(999), rates.book(999)]).toEqual([null, null]);
    expect([rates.waitMs, rates.book(1000)!.waitMs, rates.waitMs]).toEqual([1000, 1000, 2000]);
  });

  it('hold over any period, whatever bookings are returned', () => {
    const start = fc.record({ passMs: fc.nat(400), isGivenBack: fc.boolean() });
    fc.assert(
      fc.property(fc.array(start, { maxLength: 60 }), (calls) => {
        let now = 0;
        const limits = [
          { calls: 3, windowMs: 1000 },
          { calls: 5, windowMs: 3000 },
        ];
        const rates = new RateWindows(limits, () => now);
        let starts: number[] = [];
        for (const { passMs, isGivenBack } of calls) {
          now += passMs;
          const { waitMs, giveBack } = rates.book();
          if (isGivenBack) giveBack();
          else starts = [...starts, now + waitMs].sort((a, b) => a - b);
        }
        for (const { calls: most, windowMs } of limits)
          expect(starts.filter((at, i) => starts[i + most]! - at < windowMs)).toEqual([]);
      }),
    );
  });
});

describe('a retry budget', () => {
  it('allows a tenth of the calls in its window, and a few more', () => {
    let now = 0;
    const budget = new RetryBudget({ share: 0.1, spare: 2, windowMs: 60_000 }, () => now);
    const spendAll = () => {
      let spent = 0;
      while (budget.spend()) spent += 1;
      return spent;
    };
    expect(spendAll()).toBe(2);
    for (let i = 0; i < 100; i += 1) budget.earn();
    expect(spendAll()).toBe(8);
    now = 60_000;
    expect(spendAll()).toBe(2);
  });
});

describe('a circuit breaker', () => {
  const POLICY = { windowMs: 60_000, callsMin: 4, failureShare: 0.5, openMs: 10_000 };
  function opened() {
    const clock = { now: 0 };
    const breaker = new CircuitBreaker(POLICY, () => clock.now);
    for (let i = 0; i < 4; i += 1) breaker.failed(breaker.pass()!);
    return { clock, breaker };
  }

  it('opens if half of enough calls have failed, and not before', () => {
    const breaker = new CircuitBreaker(POLICY, () => 0);
    for (let i = 0; i < 3; i += 1) breaker.failed(breaker.pass()!);
    expect(breaker.isRefusing).toBe(false);
    breaker.failed(breaker.pass()!);
    expect([breaker.isRefusing, breaker.pass()]).toEqual([true, null]);
    const healthy = new CircuitBreaker(POLICY, () => 0);
    for (let i = 0; i < 30; i += 1) {
      healthy.succeeded(healthy.pass()!);
      healthy.succeeded(healthy.pass()!);
      healthy.failed(healthy.pass()!);
    }
    expect(healthy.isRefusing).toBe(false);
  });

  it('lets one probe through after its pause, whose success closes it', () => {
    const { clock, breaker } = opened();
    clock.now = 10_000;
    const probe = breaker.pass()!;
    expect([probe.isProbe, breaker.pass()]).toEqual([true, null]);
    breaker.succeeded(probe);
    expect(breaker.pass()).toEqual({ isProbe: false });
  });

  it('pauses again if the probe fails, and allows another if it was abandoned', () => {
    const { clock, breaker } = opened();
    clock.now = 10_000;
    breaker.abandoned(breaker.pass()!);
    breaker.failed(breaker.pass()!);
    clock.now = 19_999;
    expect(breaker.pass()).toBeNull();
    clock.now = 20_000;
    expect(breaker.pass()).toEqual({ isProbe: true });
  });

  it('is not affected by calls that started before it opened', () => {
    const clock = { now: 0 };
    const breaker = new CircuitBreaker(POLICY, () => clock.now);
    const early = [breaker.pass()!, breaker.pass()!];
    for (let i = 0; i < 4; i += 1) breaker.failed(breaker.pass()!);
    clock.now = 9000;
    breaker.succeeded(early[0]!);
    expect(breaker.isRefusing).toBe(true);
    breaker.failed(early[1]!);
    clock.now = 10_000;
    expect(breaker.isRefusing).toBe(false);
  });
});
