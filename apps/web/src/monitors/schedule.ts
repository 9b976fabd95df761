/** Frequencies of a monitor, each with the day fields of its cron expression. */
export const FREQUENCIES = {
  'every day': '* * *',
  'on weekdays': '* * 1-5',
  'every Monday': '* * 1',
  'on the first of each month': '1 * *',
} as const;

export type Frequency = keyof typeof FREQUENCIES;

/**
 * @returns a cron expression with five fields
 * @param hour 0 to 23
 */
export function cronOf(frequency: Frequency, hour: number): string {
  return `0 ${hour} ${FREQUENCIES[frequency]}`;
}

/**
 * @returns a schedule in words if it is one of {@link FREQUENCIES}, such as `every Monday at 9:00`, otherwise its cron expression
 */
export function describeSchedule(cron: string): string {
  const [minute, hour, ...days] = cron.split(' ');
  const frequency = Object.entries(FREQUENCIES).find(([, fields]) => fields === days.join(' '))?.[0];
  const isTime = /^\d+$/.test(hour ?? '') && /^\d+$/.test(minute ?? '');
  return frequency && isTime ? `${frequency} at ${hour}:${minute!.padStart(2, '0')}` : cron;
}
