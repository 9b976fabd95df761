import type { Sequence } from '../api/resources';
import { formatField } from '../ui/format';

/** When the messages of a sequence may leave. */
export type SendingTimes = Pick<Sequence['definition'], 'time_zone' | 'window'>;

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const HOURS = Array.from({ length: 25 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);

/** @returns the times in words, as in “Mon, Tue 09:00–17:00, Europe/Berlin” */
export function timesText({ time_zone: zone, window: { days, from, to } }: SendingTimes): string {
  return `${days.length === WEEKDAYS.length ? 'every day' : days.map(formatField).join(', ')} ${from}–${to}, ${zone}`;
}

/** @returns when the sending times open next, such as “Mon 09:00, Europe/Berlin”; null while they are open */
export function opensText(
  { time_zone: zone, window: { days, from, to } }: SendingTimes,
  now = new Date(),
): string | null {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  const parts = Object.fromEntries(clock.formatToParts(now).map(({ type, value }) => [type, value]));
  const time = `${parts.hour}:${parts.minute}`;
  const today = WEEKDAYS.findIndex((day) => formatField(day) === parts.weekday);
  const week = [...WEEKDAYS.slice(today), ...WEEKDAYS.slice(0, today + 1)];
  const isOpenOn = (day: (typeof WEEKDAYS)[number]) => days.includes(day);
  if (isOpenOn(week[0]!) && time >= from && time < to) return null;
  const next = week.find((day, index) => isOpenOn(day) && (index > 0 || time < from));
  return next === undefined ? null : `${formatField(next)} ${from}, ${zone}`;
}

/** @returns why nothing can be sent at these times; null when something can */
export function timesProblem({ window: { days, from, to } }: SendingTimes): string | null {
  if (days.length === 0) return 'Choose at least one day.';
  return from < to ? null : 'The end must be after the start.';
}

/** @returns the times with a day added or removed, in the order of the week */
export function withDay(times: SendingTimes, day: (typeof WEEKDAYS)[number], isOn: boolean): SendingTimes {
  const days = WEEKDAYS.filter((each) => (each === day ? isOn : times.window.days.includes(each)));
  return { ...times, window: { ...times.window, days } };
}

/** @returns the full hours of a day to choose from, and the current one, which a program may have set */
export function hourChoices(chosen: string, end: 'from' | 'to'): string[] {
  const hours = end === 'from' ? HOURS.slice(0, -1) : HOURS.slice(1);
  return [...new Set([...hours, chosen])].sort();
}

/** @returns the time zones that this browser knows, and the current one */
export function zoneChoices(chosen: string): string[] {
  return [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', chosen])].sort();
}
