import { describe, expect, it } from '@jest/globals';
import { formatAgo, formatDuration, formatField, timeOfId } from './format';

describe('what readers see of times', () => {
  it('tells the time that an id carries', () => {
    expect(timeOfId('run_01m889j2kde00bz2e50vc4f97e')).toMatch(/^2026-11-25T02:4\d:/);
  });

  it('says how long ago something was, in the largest unit that fits', () => {
    const now = Date.parse('2026-11-25T12:00:00.000Z');
    expect(formatAgo('2026-11-25T11:59:30.000Z', now)).toBe('just now');
    expect(formatAgo('2026-11-25T11:00:00.000Z', now)).toBe('1 hour ago');
    expect(formatAgo('2026-11-24T11:00:00.000Z', now)).toBe('yesterday');
  });

  it('says durations in the unit that people use', () => {
    expect([240, 3_240, 125_000].map(formatDuration)).toEqual(['240 ms', '3.2 s', '2 min 5 s']);
  });

  it('names fields as people write them', () => {
    expect(['linkedin_url', 'first_name', 'domain'].map(formatField)).toEqual([
      'LinkedIn URL',
      'First name',
      'Domain',
    ]);
  });
});
