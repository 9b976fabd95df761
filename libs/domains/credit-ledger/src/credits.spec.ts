import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toCredits, toMillicredits } from './credits.js';

describe('credits', () => {
  it('convert to thousandths and back without loss, for every amount with three decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (milli) => {
        expect(toMillicredits(toCredits(milli))).toBe(milli);
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([0.0001, 1.2345, Number.NaN, Number.POSITIVE_INFINITY, 1e15])(
    'refuse %p, which cannot be stored in the ledger',
    (credits) => {
      expect(() => toMillicredits(credits)).toThrow(RangeError);
    },
  );
});
