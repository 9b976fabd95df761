import { ValidateBy } from 'class-validator';

// Only this century: PostgreSQL and JavaScript differ in the first and the last supported years.
const UTC_TIME = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;
const UP_TO_SECONDS = 'YYYY-MM-DDThh:mm:ss'.length;

/** @returns true for an existing date as `YYYY-MM-DD` */
export function isCalendarDay(text: string): boolean {
  return isKept(text, 'T00:00:00', '.000Z');
}

/** @returns true for an existing time in UTC, such as `2026-11-27T12:00:00Z` */
export function isUtcTime(text: string): boolean {
  return UTC_TIME.test(text) && isKept(text.slice(0, UP_TO_SECONDS), '', '.000Z');
}

/**
 * Returns whether a time exists. Date converts 30 February to March, and 24:00 to the next day, so the result is compared
 * with the text.
 */
function isKept(text: string, time: string, rest: string): boolean {
  const date = new Date(`${text}${time}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString() === `${text}${time}${rest}`;
}

/** Validates an existing time in UTC. */
export function IsUtcTime(): PropertyDecorator {
  return ValidateBy({
    name: 'isUtcTime',
    constraints: [UTC_TIME],
    validator: {
      validate: (value) => typeof value === 'string' && isUtcTime(value),
      defaultMessage: (args) => `${args?.property} must be a valid time in UTC, such as 2026-11-27T12:00:00Z`,
    },
  });
}
