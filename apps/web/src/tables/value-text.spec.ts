import { describe, expect, it } from '@jest/globals';
import { namesAlone, valueText } from './value-text';

describe('a value as text', () => {
  it('starts with the words of a comment, followed by its date', () => {
    const comment = { at: '2025-12-31T08:00:00.000Z', text: 'A point about pricing.', author: null };
    expect(valueText([comment])).toMatch(/^A point about pricing\. · \D*\d+.* 2025$/);
  });

  it('shows only the names if every item of a list has one', () => {
    expect(namesAlone([{ name: 'AWS', category: 'cloud' }, { name: 'Go' }])).toEqual(['AWS', 'Go']);
    for (const value of [[{ name: 'AWS' }, { title: 'Go' }], ['AWS'], 'AWS', [null]])
      expect(namesAlone(value)).toBe(value);
  });

  it('shows a year only in a column of years', () => {
    expect(valueText(1987, { key: 'founded', kind: 'number' })).toBe('1987');
    expect(valueText(2022, { key: 'k', name: 'Year of deal', kind: 'number' })).toBe('2022');
    expect(valueText(2015, { key: '/founded_year' })).toBe('2015');
    expect(valueText({ title: 'CFO', start_year: 2015, reports: 1500 })).toBe('CFO · 2015 · 1,500');
    expect(valueText(1500, { key: 'headcount', name: 'Headcount', kind: 'number' })).toBe('1,500');
    expect(valueText(2050, { key: 'yearly_visits', kind: 'number' })).toBe('2,050');
  });
});
