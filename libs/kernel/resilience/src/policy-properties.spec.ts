import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CircuitBreaker, type Passage } from './circuit-breaker.js';
import { cleanText } from './clean-text.js';
import { KeyedSemaphore } from './keyed-semaphore.js';
import { RetryBudget } from './retry-budget.js';

describe('text from a provider', () => {
  it.each([
    ['plain é😀', 'plain é😀', 0],
    ['a\0b', 'a\ufffdb', 1],
    ['\ud800', '\ufffd', 1],
    ['x\udc00y\ud83d', 'x\ufffdy\ufffd', 1],
    [
      { 'k\0': ['\0', 1, null, { deep: '\ud800' }] },
      { 'k\ufffd': ['\ufffd', 1, null, { deep: '\ufffd' }] },
      3,
    ],
    [[undefined, true, 0], [undefined, true, 0], 0],
  ])('is cleaned for the database, and each replaced text is counted: %j', (value, clean, replaced) => {
    let count = 0;
    expect(cleanText(value, () => void (count += 1))).toEqual(clean);
    expect(count).toBe(replaced);
  });

  it('stays as it is if valid, with properties of any name, and cleaning twice changes nothing', () => {
    const piece = fc.constantFrom('\0', '\ud800', '\udc00', '\ud83d', 'a', 'é', '😀', '');
    const text = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
    const list = fc.array(text, { maxLength: 4 });
    const values = fc.oneof(text, list, fc.dictionary(text, fc.oneof(text, list), { maxKeys: 4 }));
    fc.assert(
      fc.property(values, (value) => {
        const once = cleanText(value);
        expect(JSON.stringify(cleanText(once))).toBe(JSON.stringify(once));
        expect(JSON.stringify(once)).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      }),
      { numRuns: 100 },
    );
    const named = JSON.parse('{"__proto__":{"a":"\\u0000"},"constructor":1}') as object;
    expect(JSON.stringify(cleanText(named))).toBe('{"__proto__":{"a":"\ufffd"},"constructor":1}');
  });
});

describe('a circuit breaker under any load', () => {
  const POLICY = { windowMs: 60_000, callsMin: 4, failureShare: 0.5, openMs: 10_000 };
  const step = fc.record({
    passMs: fc.oneof(fc.constant(0), fc.nat(12_000)),
    act: fc.constantFrom('pass', 'succeeded', 'failed', 'abandoned', 'trip'),
    which: fc.nat(5),
  });

  it('lets only one probe at a time through while open, and eventually lets one through again', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
        const clock = { now: 0 };
        const breaker = new CircuitBreaker(POLICY, () => clock.now);
        let inFlight: Passage[] = [];
        for (const { passMs, act, which } of steps) {
          clock.now += passMs;
          if (act === 'trip') breaker.trip(20_000);
          else if (act === 'pass') {
            const wasRefusing = breaker.isRefusing;
            const passage = breaker.pass();
            expect(passage === null).toBe(wasRefusing);
            if (!passage) continue;
            // The end of a probe changes the state, so no second probe may be admitted meanwhile.
            if (passage.isProbe) expect(breaker.pass()).toBeNull();
            inFlight.push(passage);
          } else if (inFlight.length > 0) {
            const passage = inFlight[which % inFlight.length]!;
            inFlight = inFlight.filter((each) => each !== passage);
            breaker[act](passage);
            if (passage.isProbe && act === 'succeeded') expect(breaker.isRefusing).toBe(false);
            if (passage.isProbe && act === 'failed') expect(breaker.isRefusing).toBe(true);
          }
          if (act === 'trip') expect(breaker.isRefusing).toBe(true);
        }
        for (const passage of inFlight) breaker.abandoned(passage);
        clock.now += 20_000;
        expect(breaker.isRefusing).toBe(false);
      }),
      { numRuns: 250 },
    );
  });
});

describe('a concurrency limit under any load', () => {
  it('never admits more than its size, loses no place, and admits everybody who keeps waiting', async () => {
    const visitor = fc.record({
      kind: fc.constantFrom('a', 'b', 'c'),
      givesUp: fc.boolean(),
      turns: fc.nat(4),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(visitor, { maxLength: 30 }),
        async (most, visitors) => {
          const limit = new KeyedSemaphore({ size: most });
          let inside = 0;
          const ends = await Promise.all(
            visitors.map(async ({ kind, givesUp, turns }) => {
              const abort = new AbortController();
              const mustWait = limit.readMetrics().running >= most;
              const entering = limit.enter(kind, abort.signal).catch(() => null);
              if (givesUp) abort.abort(new Error('enough'));
              const leave = await entering;
              if (!leave) return 'gave up';
              // A caller that gives up while waiting is not admitted later.
              expect(givesUp && mustWait).toBe(false);
              inside += 1;
              expect(inside).toBeLessThanOrEqual(most);
              for (let i = 0; i < turns; i += 1) await Promise.resolve();
              inside -= 1;
              leave();
              return 'was in';
            }),
          );
          expect([limit.readMetrics().running, limit.readMetrics().waiting]).toEqual([0, 0]);
          for (const [i, { givesUp }] of visitors.entries()) if (!givesUp) expect(ends[i]).toBe('was in');
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a retry budget under any load', () => {
  it('never allows more retries in a window than its share and reserve', () => {
    const step = fc.record({ passMs: fc.nat(3_000), repeats: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
        const clock = { now: 0 };
        const budget = new RetryBudget({ share: 0.1, spare: 2, windowMs: 10_000 }, () => clock.now);
        const [calls, retries]: number[][] = [[], []];
        for (const { passMs, repeats } of steps) {
          clock.now += passMs;
          budget.earn();
          calls!.push(clock.now);
          // At least nine tenths of the window are counted, and nothing older than the window.
          const lately = (times: number[], ms: number) => times.filter((at) => at > clock.now - ms).length;
          if (repeats && budget.spend()) {
            retries!.push(clock.now);
            expect(lately(retries!, 9_000)).toBeLessThanOrEqual(Math.max(2, 0.1 * lately(calls!, 10_000)));
          } else if (repeats)
            expect(lately(retries!, 10_000) + 1).toBeGreaterThan(Math.max(2, 0.1 * lately(calls!, 9_000)));
        }
      }),
      { numRuns: 150 },
    );
  });
});
