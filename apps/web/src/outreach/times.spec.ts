import { describe, expect, it } from '@jest/globals';
import {
  hourChoices,
  opensText,
  timesProblem,
  timesText,
  withDay,
  zoneChoices,
  type SendingTimes,
} from './times';

const times: SendingTimes = {
  time_zone: 'Europe/Berlin',
  window: { days: ['mon', 'wed'], from: '09:00', to: '17:00' },
};

describe('the sending times of a sequence', () => {
  it('are shown in words', () => {
    expect(timesText(times)).toBe('Mon, Wed 09:00–17:00, Europe/Berlin');
    const always = { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' };
    expect(timesText({ time_zone: 'UTC', window: always } as SendingTimes)).toBe(
      'every day 00:00–24:00, UTC',
    );
  });

  it.each([
    ['2026-11-30T07:59:00Z', 'Mon 09:00, Europe/Berlin'],
    ['2026-11-30T08:00:00Z', null],
    ['2026-11-30T16:00:00Z', 'Wed 09:00, Europe/Berlin'],
    ['2026-12-01T10:00:00Z', 'Wed 09:00, Europe/Berlin'],
    ['2026-12-02T23:30:00Z', 'Mon 09:00, Europe/Berlin'],
  ])('are open, or open next, at %s: %s', (now, text) => {
    expect(opensText(times, new Date(now))).toBe(text);
  });

  it('of one day open again a week later', () => {
    const mondays: SendingTimes = { ...times, window: { ...times.window, days: ['mon'], to: '24:00' } };
    expect(opensText(mondays, new Date('2026-11-30T22:59:00Z'))).toBeNull();
    expect(opensText(mondays, new Date('2026-11-30T23:00:00Z'))).toBe('Mon 09:00, Europe/Berlin');
  });

  it('gain and lose a day in the order of the week', () => {
    expect(withDay(times, 'tue', true).window.days).toEqual(['mon', 'tue', 'wed']);
    expect(withDay(times, 'mon', false).window.days).toEqual(['wed']);
  });

  it('need a day, and an end after the start', () => {
    expect(timesProblem(times)).toBeNull();
    expect(timesProblem({ ...times, window: { ...times.window, days: [] } })).toContain('one day');
    expect(timesProblem({ ...times, window: { ...times.window, to: '09:00' } })).toContain('after');
  });

  it('can be any full hour and time zone, and keep what a program has set', () => {
    expect(hourChoices('09:30', 'from').slice(8, 12)).toEqual(['08:00', '09:00', '09:30', '10:00']);
    expect(hourChoices('17:00', 'to').at(-1)).toBe('24:00');
    expect(zoneChoices('Asia/Calcutta')).toEqual(
      expect.arrayContaining(['Asia/Calcutta', 'Europe/Berlin', 'UTC']),
    );
  });
});
