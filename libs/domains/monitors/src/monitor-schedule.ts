import { Cron } from 'croner';

/** Minimum time between two dates of a schedule. Source: docs/monitors.md. */
const PERIOD_MIN_MS = 3_600_000;
/** Number of upcoming dates that are checked for the minimum time. */
const DATES_CHECKED = 50;
const DATES_SHOWN = 5;

/** Schedule of a monitor: a five-field cron expression in an IANA time zone. */
export interface Schedule {
  readonly cron: string;
  readonly timeZone: string;
}

/** A fault of a schedule, with the field it is in. */
export interface ScheduleFault {
  readonly field: 'cron' | 'time_zone';
  readonly message: string;
}

/** The date that is due now, and the next one. */
export interface DueDate {
  /** The date to run for; null if the last one was missed by too much. */
  readonly dueAt: Date | null;
  readonly nextAt: Date;
}

const NAMES = 'sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const FIELD = `(?:[\\d*,/-]|${NAMES})+`;
/** Plain cron only: no nicknames such as `@daily`, no seconds, and no letters that only some programs support. */
const FIVE_FIELDS = new RegExp(`^${FIELD}(?: ${FIELD}){4}$`, 'i');
/**
 * UTC offsets are rejected, because they do not follow daylight saving time, and abbreviations that mean several zones: BST is
 * the time of Dhaka, too. A longer word, such as Japan, is the zone of that country.
 */
const ZONE = /^(?:UTC|GMT|CET|EET|WET|[A-Za-z]{4,}|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+)$/;

/** Returns the fault of a schedule; null if it is valid. */
export function faultOf({ cron, timeZone }: Schedule, now: Date): ScheduleFault | null {
  if (!ZONE.test(timeZone) || !isKnownZone(timeZone))
    return { field: 'time_zone', message: 'must be an IANA time zone, such as Europe/Berlin' };
  const unreadable: ScheduleFault = {
    field: 'cron',
    message: 'must be five fields of cron (minute, hour, day, month, weekday), such as 0 9 * * 1',
  };
  if (!FIVE_FIELDS.test(cron)) return unreadable;
  const dates = datesAfter({ cron, timeZone }, now, DATES_CHECKED);
  if (dates === null) return unreadable;
  if (dates.length === 0) return { field: 'cron', message: 'must have a date in the future' };
  // Checked in UTC, which has no clock changes: a shift once a year does not make a schedule invalid.
  const onClock = datesAfter({ cron, timeZone: 'UTC' }, now, DATES_CHECKED)!;
  const tooClose = onClock.some(
    (date, i) => i > 0 && date.getTime() - onClock[i - 1]!.getTime() < PERIOD_MIN_MS,
  );
  return tooClose ? { field: 'cron', message: 'must leave at least one hour between two dates' } : null;
}

/** Returns the next dates of a schedule, as clients see them. */
export function nextDates(schedule: Schedule, now: Date): Date[] {
  return datesAfter(schedule, now, DATES_SHOWN) ?? [];
}

/**
 * Returns the date to run for now, and the next one. If several dates were missed, only the last one counts, and only
 * during the first half of the time until the next date.
 * @throws Error if the schedule has no further date
 */
export function dueAt(schedule: Schedule, now: Date): DueDate {
  const [nextAt] = datesAfter(schedule, now, 1) ?? [];
  if (!nextAt) throw new Error('The schedule has no date in the future.');
  // `previousRuns` excludes the given moment itself, so the search starts one second later.
  const [lastAt] = cronOf(schedule).previousRuns(1, new Date(now.getTime() + 1000));
  if (!lastAt || lastAt > now) return { dueAt: null, nextAt };
  const isRecent = now.getTime() - lastAt.getTime() <= (nextAt.getTime() - lastAt.getTime()) / 2;
  return { dueAt: isRecent ? lastAt : null, nextAt };
}

function datesAfter(schedule: Schedule, now: Date, count: number): Date[] | null {
  try {
    return cronOf(schedule).nextRuns(count, now);
  } catch {
    return null;
  }
}

function cronOf({ cron, timeZone }: Schedule): Cron {
  // Lists and ranges of hours count as fixed times: none is skipped when the clock moves forward or repeated when it moves back.
  const options = { mode: '5-part', fixedTimeRule: 'no-wildcard' } as const;
  return new Cron(cron, { ...options, timezone: timeZone, paused: true });
}

function isKnownZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
