import { describe, expect, it } from '@jest/globals';
import { isCalendarDay, isUtcTime } from './utc-time.js';

describe('a time in UTC', () => {
  it.each(['2026-11-27T12:00:00Z', '2028-02-29T23:59:59.123456Z'])('%s is valid', (text) => {
    expect(isUtcTime(text)).toBe(true);
  });

  it.each([
    '2026-02-30T00:00:00Z',
    '2027-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00+02:00',
    '2026-W05-1',
    '2026-01-01',
    '1926-01-01T00:00:00Z',
  ])('%s is invalid', (text) => {
    expect(isUtcTime(text)).toBe(false);
  });

  it('has a date that exists', () => {
    expect(['2028-02-29', '2027-02-29', '2026-00-10', '2026-1-1', ''].map(isCalendarDay)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
