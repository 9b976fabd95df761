import { describe, expect, it } from '@jest/globals';
import type { Enrichment } from '../api/resources';
import { hasRest } from './filling';

const counts = { pending: 0, filled: 9, empty: 1, failed: 2, skipped: 0 };
const ended = (status: Enrichment['status'], skipped = 0) => ({ status, counts: { ...counts, skipped } });

describe('rows that an enrichment has left', () => {
  it('can be filled where it was for some, was stopped, or the credits did not reach', () => {
    expect(hasRest(ended('completed'), true)).toBe(true);
    expect(hasRest(ended('cancelled'), false)).toBe(true);
    expect(hasRest(ended('completed', 171), false)).toBe(true);
  });

  it('are none where all were looked up, whatever the answers were', () => {
    expect(hasRest(ended('completed'), false)).toBe(false);
  });
});
