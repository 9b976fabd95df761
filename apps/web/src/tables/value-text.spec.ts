import { describe, expect, it } from '@jest/globals';
import { valueText } from './value-text';

describe('a value as text', () => {
  it('has what was said before the day on which it was said', () => {
    const comment = { at: '2025-12-31T08:00:00.000Z', text: 'A point about pricing.', author: null };
    expect(valueText([comment])).toMatch(/^A point about pricing\. · \D*\d+.* 2025$/);
  });
});
