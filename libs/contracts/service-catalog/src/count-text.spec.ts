import { describe, expect, it } from '@jest/globals';
import { countText } from './count-text.js';

describe('a number with its noun', () => {
  it('is singular for one alone', () => {
    expect(countText(1, 'credit')).toBe('1 credit');
    expect([0, 0.5, 2].map((count) => countText(count, 'credit'))).toEqual([
      '0 credits',
      '0.5 credits',
      '2 credits',
    ]);
    expect(countText(2, 'company', 'companies')).toBe('2 companies');
  });
});
