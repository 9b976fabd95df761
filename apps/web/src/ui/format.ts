const NUMBER = new Intl.NumberFormat();
const CREDITS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const STEPS: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export const formatNumber = (value: number) => NUMBER.format(value);
export const formatTime = (iso: string) => TIME.format(new Date(iso));
export const formatDay = (iso: string) => DAY.format(new Date(iso));

/** @returns an amount of credits with its unit, such as `1,000 credits` */
export function formatCredits(amount: number): string {
  return `${CREDITS.format(amount).replace('-', '−')} ${Math.abs(amount) === 1 ? 'credit' : 'credits'}`;
}

/** @returns a count with its noun in the right number, such as `1 row` or `2,000 rows` */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${NUMBER.format(count)} ${count === 1 ? noun : plural}`;
}

const CAPITALS: Readonly<Record<string, string>> = {
  linkedin: 'LinkedIn',
  url: 'URL',
  urls: 'URLs',
  id: 'ID',
};

/** @returns the key of a field as a label, such as `LinkedIn URL` */
export function formatField(key: string): string {
  const text = key
    .split('_')
    .map((word) => CAPITALS[word] ?? word)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @returns how long ago a time is, and past a week the day itself */
export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return formatDay(iso);
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.round(seconds / length), unit);
  return 'just now';
}

/** @returns a duration in milliseconds as people say it: `240 ms`, `3.2 s`, `2 min 5 s` */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';

/** @returns the time that a time-ordered id carries: its first 48 bits are milliseconds since 1970 */
export function timeOfId(id: string): string {
  let bits = 0n;
  for (const letter of id.slice(id.indexOf('_') + 1)) bits = bits * 32n + BigInt(BASE32.indexOf(letter));
  return new Date(Number(bits >> 80n)).toISOString();
}
