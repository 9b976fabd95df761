import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AddressLimiter } from './address-limiter.js';
import { KeyLimiter, type Admission } from './key-limiter.js';
import { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import { RATE_CLASSES, scaledRateClasses, type RateClassName } from './rate-class.catalogue.js';

/** Creates a limiter with a fake clock and small budgets: 3 heavy, 12 services, 60 reads per minute. */
function limiterOf() {
  const clock = { now: 0 };
  const limiter = new KeyLimiter(new MemoryRateLimitStore(() => clock.now), {
    ...scaledRateClasses(0.1),
    heavy: { name: 'heavy', budget: 3, concurrency: 2 },
  });
  const admit = (id: string, userId: string, name: RateClassName = 'heavy') =>
    limiter.admitRequest({ id, userId }, name) as Admission;
  return { clock, admit };
}
const outcomeOf = ({ refusal }: Admission): string => refusal?.message ?? 'admitted';

describe('the rate limit of a key', () => {
  it('is shown with each answer: the budget, the remainder, and when the oldest request leaves the window', () => {
    const { clock, admit } = limiterOf();
    expect(admit('k', 'u', 'reads')).toMatchObject({
      limit: 60,
      remaining: 59,
      resetSeconds: 60,
      refusal: null,
      release: null,
    });
    clock.now = 30_500;
    expect(admit('k', 'u', 'reads')).toMatchObject({ remaining: 58, resetSeconds: 30 });
    clock.now = 60_000;
    expect(admit('k', 'u', 'reads')).toMatchObject({ remaining: 58, resetSeconds: 31 });
  });

  it('refuses requests over the budget exactly as long as Retry-After says', () => {
    const { clock, admit } = limiterOf();
    for (const at of [0, 1_000, 2_000]) {
      clock.now = at;
      admit('k', 'u').release!();
    }
    const refused = admit('k', 'u');
    expect(refused).toMatchObject({
      remaining: 0,
      resetSeconds: 58,
      release: null,
      refusal: {
        code: 'rate_limited',
        message: expect.stringMatching(/3 requests per minute in the class “heavy”.*again in 58 s/),
        headers: { 'Retry-After': '58' },
      },
    });
    clock.now += 57_999;
    expect(admit('k', 'u').refusal).not.toBeNull();
    clock.now += 1;
    expect(admit('k', 'u').refusal).toBeNull();
  });

  it('is doubled for all keys of a user together, and is separate per user and per class', () => {
    const { admit } = limiterOf();
    const taken = ['k1', 'k1', 'k1', 'k2', 'k2', 'k2', 'k3'].map((key) => {
      const admission = admit(key, 'u');
      admission.release?.();
      return outcomeOf(admission);
    });
    expect(taken.slice(0, 6)).toEqual(new Array(6).fill('admitted'));
    expect(taken[6]).toContain('The rate limit of this key is exceeded');
    // Determined by the user's window, whose oldest request must leave it; the key's own window is empty.
    expect(admit('k3', 'u')).toMatchObject({ remaining: 0, resetSeconds: 60 });
    expect(outcomeOf(admit('k4', 'other'))).toBe('admitted');
    expect(outcomeOf(admit('k3', 'u', 'services'))).toBe('admitted');
  });

  it('includes a number of concurrent requests, and refused ones do not use up the budget', () => {
    const { clock, admit } = limiterOf();
    const held = [admit('k', 'u'), admit('k', 'u')];
    const third = admit('k', 'u');
    expect(third).toMatchObject({
      remaining: 1,
      release: null,
      refusal: {
        message: 'Too many requests of this kind are in progress. Try again when one has finished.',
        headers: { 'Retry-After': '1' },
      },
    });
    held[0]!.release!();
    held[0]!.release!();
    const next = admit('k', 'u');
    expect([next.refusal, next.remaining]).toEqual([null, 0]);
    // A slot that is released twice is freed only once.
    clock.now = 60_000;
    expect(admit('k', 'u').refusal).toMatchObject({ code: 'rate_limited' });
    // A slot that is never released, because its process died, expires by itself.
    clock.now = 200_000;
    expect(admit('k', 'u').refusal).toBeNull();
  });

  it('holds for any sequence of requests: per minute, per user, and concurrently', () => {
    const step = fc.record({ passMs: fc.nat(8_000), key: fc.nat(3), releases: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { clock, admit } = limiterOf();
        const starts: Array<{ key: number; at: number; release: () => void; isOpen: boolean }> = [];
        for (const { passMs, key, releases } of steps) {
          clock.now += passMs;
          const open = starts.find((each) => each.isOpen && each.key === key);
          if (releases && open) {
            open.release();
            open.isOpen = false;
          }
          const recent = starts.filter(({ at }) => at > clock.now - 60_000);
          const own = recent.filter((each) => each.key === key).length;
          // Keys 0 and 1 belong to one user, 2 and 3 to another.
          const ofUser = recent.filter((each) => each.key >> 1 === key >> 1).length;
          const inFlight = starts.filter(
            (each) => each.key === key && each.isOpen && each.at > clock.now - 120_000,
          ).length;
          const admission = admit(`k${key}`, `u${key >> 1}`);
          expect(admission.refusal === null).toBe(own < 3 && ofUser < 6 && inFlight < 2);
          if (admission.release)
            starts.push({ key, at: clock.now, release: admission.release, isOpen: true });
        }
      }),
      { numRuns: 200 },
    );
  });

  it('scales with the installation, down to one', () => {
    expect(scaledRateClasses(1)).toEqual(RATE_CLASSES);
    expect(scaledRateClasses(2).services).toEqual({ name: 'services', budget: 240, concurrency: 20 });
    expect(scaledRateClasses(0.0001)).toMatchObject({
      heavy: { budget: 1, concurrency: 1 },
      reads: { budget: 1, concurrency: null },
    });
  });
});

describe('the rate limit of an address', () => {
  it('is a hundred requests in ten seconds per address, and the next is allowed after the announced time', () => {
    let now = 0;
    const limiter = new AddressLimiter(1, () => now);
    const taken = Array.from({ length: 100 }, (_, i) => ((now = i * 10), limiter.takeRequest('192.0.2.1')));
    expect(new Set(taken)).toEqual(new Set([0]));
    expect([limiter.takeRequest('192.0.2.1'), limiter.takeRequest('192.0.2.2')]).toEqual([10, 0]);
    now = 9_999;
    expect(limiter.takeRequest('192.0.2.1')).toBe(1);
    now = 10_000;
    expect([limiter.takeRequest('192.0.2.1'), limiter.takeRequest('192.0.2.1')]).toEqual([0, 1]);
  });
});
