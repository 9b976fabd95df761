import { describe, expect, it } from '@jest/globals';
import { formatCount } from './format-count.js';

describe('a number with its noun', () => {
  it('is singular only for one', () => {
    expect(formatCount(1, 'credit')).toBe('1 credit');
    expect([0, 0.5, 2].map((count) => formatCount(count, 'credit'))).toEqual([
      '0 credits',
      '0.5 credits',
      '2 credits',
    ]);
    expect(formatCount(2, 'company', 'companies')).toBe('2 companies');
  });
});
