import { Cron } from 'croner';

/** Dates of a schedule are at least this far apart. Source: docs/monitors.md. */
const PERIOD_MIN_MS = 3_600_000;
/** Number of the coming dates that are checked for it. */
const DATES_CHECKED = 50;
const DATES_SHOWN = 5;

/** Schedule of a monitor: five fields of cron, read in an IANA time zone. */
export interface Schedule {
  readonly cron: string;
  readonly timeZone: string;
}

/** Fault of a schedule, and its field. */
export interface ScheduleFault {
  readonly field: 'cron' | 'time_zone';
  readonly message: string;
}

/** The date that is due at a time, and the next one. */
export interface DueDate {
  /** The date to run for; null where the last one is missed for good. */
  readonly dueAt: Date | null;
  readonly nextAt: Date;
}

const NAMES = 'sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const FIELD = `(?:[\\d*,/-]|${NAMES})+`;
/** Plain cron: no names of whole schedules, no seconds, none of the letters that only some programs read. */
const FIVE_FIELDS = new RegExp(`^${FIELD}(?: ${FIELD}){4}$`, 'i');
/** Offsets are no zones: they do not follow a summer time. */
const ZONE = /^(?:UTC|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+)$/;

/** Returns what is wrong with a schedule; null for one that can be kept. */
export function faultOf({ cron, timeZone }: Schedule, now: Date): ScheduleFault | null {
  if (!ZONE.test(timeZone) || !isKnownZone(timeZone))
    return { field: 'time_zone', message: 'must be a time zone named by its place, such as Europe/Berlin' };
  const unreadable: ScheduleFault = {
    field: 'cron',
    message: 'must be five fields of cron (minute, hour, day, month, weekday), such as 0 9 * * 1',
  };
  if (!FIVE_FIELDS.test(cron)) return unreadable;
  const dates = datesAfter({ cron, timeZone }, now, DATES_CHECKED);
  if (dates === null) return unreadable;
  if (dates.length === 0) return { field: 'cron', message: 'must have a date that comes' };
  // By the hands of a clock that is never changed: what is moved once a year makes no schedule a wrong one.
  const onClock = datesAfter({ cron, timeZone: 'UTC' }, now, DATES_CHECKED)!;
  const tooClose = onClock.some(
    (date, i) => i > 0 && date.getTime() - onClock[i - 1]!.getTime() < PERIOD_MIN_MS,
  );
  return tooClose ? { field: 'cron', message: 'must leave at least one hour between two dates' } : null;
}

/** Returns the next dates of a schedule, as they are shown. */
export function nextDates(schedule: Schedule, now: Date): Date[] {
  return datesAfter(schedule, now, DATES_SHOWN) ?? [];
}

/**
 * Returns the date that is to be run at a time, and the next one. However many dates were missed, the last of them alone is run,
 * and only within half of the time until the next.
 * @throws Error where no date comes any more
 */
export function dueAt(schedule: Schedule, now: Date): DueDate {
  const [nextAt] = datesAfter(schedule, now, 1) ?? [];
  if (!nextAt) throw new Error('The schedule has no date that comes.');
  // The cron of a moment is read from before that moment on.
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
  // Lists and ranges of hours are times as well: none is left out in a summer time, nor comes twice in a winter time.
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
