import { describe, expect, it } from '@jest/globals';
import { dueAt, faultOf, nextDates, type Schedule } from './monitor-schedule.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NEW_YEAR = Date.parse('2026-01-01T00:00:00Z');

/** Time zones, each with a local time that it skips or repeats when the clock changes, where it has one. */
const ZONES: ReadonlyArray<readonly [zone: string, cron: string]> = [
  ['UTC', '30 2 * * *'],
  ['Europe/Berlin', '30 2 * * *'],
  ['America/New_York', '30 1 * * *'],
  ['Australia/Lord_Howe', '15 2 * * *'],
  ['Asia/Kathmandu', '30 2 * * *'],
  ['Pacific/Apia', '30 2 * * *'],
];

/** Simulates a scheduler that wakes up at irregular times. @returns the dates that it started */
function begun(
  schedule: Schedule,
  from: number,
  to: number,
  isDown = (_now: number): boolean => false,
): number[] {
  const dates: number[] = [];
  let nextAt = nextDates(schedule, new Date(from))[0]!.getTime();
  for (let now = from; now <= to; now += 7 * 60_000) {
    if (isDown(now) || now < nextAt) continue;
    const due = dueAt(schedule, new Date(now));
    if (due.dueAt) dates.push(due.dueAt.getTime());
    expect(due.nextAt.getTime()).toBeGreaterThan(now);
    nextAt = due.nextAt.getTime();
  }
  return dates;
}

function localDay(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(at);
}

describe('the dates of a schedule', () => {
  it.each(ZONES)('occur once on each day of a year in %s', (timeZone, cron) => {
    const dates = begun({ cron, timeZone }, NEW_YEAR, NEW_YEAR + 366 * DAY_MS);
    const days = dates.map((at) => localDay(at, timeZone));
    expect(new Set(dates).size).toBe(dates.length);
    expect(new Set(days).size).toBe(days.length);
    expect(days.length).toBeGreaterThanOrEqual(365);
    expect(Math.max(...dates.slice(1).map((at, i) => at - dates[i]!))).toBeLessThanOrEqual(25 * HOUR_MS);
  });

  it.each(ZONES)('are made up for once after nine days of downtime in %s', (timeZone, cron) => {
    const schedule = { cron, timeZone };
    const [last] = nextDates(schedule, new Date(NEW_YEAR + 20 * DAY_MS));
    // The scheduler wakes up two hours after a date.
    const upAt = last!.getTime() + 2 * HOUR_MS;
    const isDown = (now: number): boolean => now > upAt - 9 * DAY_MS && now < upAt;
    const dates = begun(schedule, NEW_YEAR, NEW_YEAR + 31 * DAY_MS, isDown);
    const inDowntime = dates.filter((at) => at > upAt - 9 * DAY_MS && at < upAt);
    expect(inDowntime).toEqual([last!.getTime()]);
  });

  it('are not made up for once more than half of the interval has passed', () => {
    const schedule = { cron: '0 9 * * 1', timeZone: 'UTC' };
    const monday = new Date('2026-03-02T09:00:00Z');
    const next = new Date('2026-03-09T09:00:00Z');
    expect(dueAt(schedule, monday)).toEqual({ dueAt: monday, nextAt: next });
    expect(dueAt(schedule, new Date('2026-03-05T21:00:00Z'))).toEqual({ dueAt: monday, nextAt: next });
    expect(dueAt(schedule, new Date('2026-03-05T21:00:01Z'))).toEqual({ dueAt: null, nextAt: next });
  });

  it.each([
    [
      'the start of summer time, which skips the hour',
      'America/New_York',
      '30 2 * * *',
      '2026-03-08',
      ['2026-03-08T07:00:00.000Z'],
    ],
    [
      'the end of summer time, which repeats the hour',
      'America/New_York',
      '30 1 * * *',
      '2026-11-01',
      ['2026-11-01T05:30:00.000Z'],
    ],
    [
      'the start of summer time, which skips one of several hours',
      'America/New_York',
      '30 2,14 * * *',
      '2026-03-08',
      ['2026-03-08T07:00:00.000Z', '2026-03-08T18:30:00.000Z'],
    ],
    [
      'the end of summer time, which repeats one of several hours',
      'America/New_York',
      '30 1,13 * * *',
      '2026-11-01',
      ['2026-11-01T05:30:00.000Z', '2026-11-01T18:30:00.000Z'],
    ],
    [
      'a summer time shift of half an hour',
      'Australia/Lord_Howe',
      '15 2 * * *',
      '2026-10-03T13:00',
      ['2026-10-03T15:30:00.000Z'],
    ],
  ])('are right across %s', (_what, timeZone, cron, from, dates) => {
    const now = new Date(from.includes('T') ? `${from}:00Z` : `${from}T00:00:00Z`);
    expect(
      nextDates({ cron, timeZone }, now)
        .slice(0, dates.length)
        .map((date) => date.toISOString()),
    ).toEqual(dates);
  });
});

describe('a schedule', () => {
  const now = new Date(NEW_YEAR);
  const in_ = (cron: string, timeZone = 'Europe/Berlin') => faultOf({ cron, timeZone }, now);

  it.each(['0 9 * * 1', '0 * * * *', '15 8,12,18 * * MON-FRI', '0 9 1 */3 *', '0 9 29 2 *'])(
    'may be "%s"',
    (cron) => {
      expect(in_(cron)).toBeNull();
    },
  );

  it('may be hourly even right before daylight saving time starts', () => {
    const schedule = { cron: '30 0-23 * * *', timeZone: 'America/New_York' };
    expect(faultOf(schedule, new Date('2026-03-08T00:00:00Z'))).toBeNull();
  });

  it.each([
    ['0 9 * *', 'must be five fields'],
    ['0 0 9 * * 1', 'must be five fields'],
    ['@daily', 'must be five fields'],
    ['0 9 L * *', 'must be five fields'],
    ['0 9 * * 1#2', 'must be five fields'],
    ['99 9 * * *', 'must be five fields'],
    ['0 9 30 2 *', 'must have a date in the future'],
    ['*/30 * * * *', 'at least one hour'],
    ['0,59 9 * * *', 'at least one hour'],
  ])('may not be "%s"', (cron, message) => {
    expect(in_(cron)).toMatchObject({ field: 'cron', message: expect.stringContaining(message) });
  });

  it.each(['GMT', 'CET', 'Japan', 'Singapore', 'America/Argentina/Ushuaia'])(
    'may be in the zone %s',
    (timeZone) => {
      expect(in_('0 9 * * *', timeZone)).toBeNull();
    },
  );

  it.each(['+02:00', 'Europe/Atlantis', '', 'CET-1', 'berlin', 'BST', 'IST'])(
    'may not be in the zone "%s"',
    (timeZone) => {
      expect(in_('0 9 * * *', timeZone)).toMatchObject({ field: 'time_zone' });
    },
  );
});
