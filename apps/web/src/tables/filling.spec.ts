import { describe, expect, it } from '@jest/globals';
import type { Enrichment } from '../api/resources';
import { hasRest } from './filling';

const counts = { pending: 0, filled: 9, empty: 1, failed: 2, skipped: 0 };
const ended = (status: Enrichment['status'], skipped = 0) => ({ status, counts: { ...counts, skipped } });

describe('rows that an enrichment did not fill', () => {
  it('remain if it ran for some rows, was cancelled or ran out of credits', () => {
    expect(hasRest(ended('completed'), true)).toBe(true);
    expect(hasRest(ended('cancelled'), false)).toBe(true);
    expect(hasRest(ended('completed', 171), false)).toBe(true);
  });

  it('do not remain if all were looked up, whatever the answers were', () => {
    expect(hasRest(ended('completed'), false)).toBe(false);
  });
});
