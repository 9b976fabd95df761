import { describe, expect, it } from '@jest/globals';
import { endOfDay, formatAgo, formatDay, formatDuration, formatField, readNumber, timeOfId } from './format';

describe('formatting for readers', () => {
  it('shows the time contained in an id', () => {
    expect(timeOfId('run_01m889j2kde00bz2e50vc4f97e')).toMatch(/^2026-11-25T02:4\d:/);
  });

  it('shows how long ago something was, in the largest unit that fits', () => {
    const now = Date.parse('2026-11-25T12:00:00.000Z');
    expect(formatAgo('2026-11-25T11:59:30.000Z', now)).toBe('just now');
    expect(formatAgo('2026-11-25T11:00:00.000Z', now)).toBe('1 hour ago');
    expect(formatAgo('2026-11-25T11:00:00.001Z', now)).toBe('59 minutes ago');
    // Not “yesterday”, which may be another day.
    expect(formatAgo('2026-11-24T11:00:00.000Z', now)).toBe('1 day ago');
    expect(formatAgo('2026-11-25T15:00:00.000Z', now)).toBe('in 3 hours');
  });

  it('shows durations in a common unit', () => {
    expect([240, 3_240, 59_960, 119_600, 125_000].map(formatDuration)).toEqual([
      '240 ms',
      '3.2 s',
      '1 min 0 s',
      '2 min 0 s',
      '2 min 5 s',
    ]);
  });

  it('shows a date without a time as the same day in every time zone', () => {
    expect(formatDay('2026-01-31')).toBe('Jan 31, 2026');
  });

  it('ends a day at midnight in the time zone of the reader', () => {
    expect(endOfDay('2026-12-31').getTime()).toBe(new Date(2027, 0, 1).getTime() - 1);
  });

  it('shows field names in plain words', () => {
    expect(['linkedin_url', 'first_name', 'domain', 'constructor'].map(formatField)).toEqual([
      'LinkedIn URL',
      'First name',
      'Domain',
      'Constructor',
    ]);
  });
});

describe('numbers typed by people', () => {
  it('are read with or without the thousands separators of their language', () => {
    const read = (text: string) => readNumber(text, 'en');
    expect(['48,794', '48794', ' 1,048,794.5 ', '-1,500', '.5'].map(read)).toEqual([
      48_794, 48_794, 1_048_794.5, -1_500, 0.5,
    ]);
    expect([
      readNumber('48.794,5', 'de'),
      readNumber('48 794', 'fr'),
      readNumber('1,00,000', 'en-IN'),
    ]).toEqual([48_794.5, 48_794, 100_000]);
  });

  it('are rejected if a separator is in another place', () => {
    const read = (text: string) => readNumber(text, 'en');
    expect(['many', '', '4,8', '4,80', '1.2.3', '10 people', '48,7944'].map(read)).toEqual(
      Array(7).fill(null),
    );
    expect(readNumber('1.50', 'de')).toBe(1.5);
  });
});
