const NUMBER = new Intl.NumberFormat();
const CREDITS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 3 });
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const EXACT_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
/** For a date without a time, which is the same in every time zone. */
const DAY_ALONE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const RELATIVE = new Intl.RelativeTimeFormat();
const STEPS: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export const formatNumber = (value: number) => NUMBER.format(value);
export const formatTime = (iso: string) => TIME.format(new Date(iso));
/** @returns a time in another time zone than that of this browser */
export const formatTimeIn = (timeZone: string, iso: string) =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
    new Date(iso),
  );
/** @returns a time with its day of the week, seconds and time zone */
export const formatExactTime = (iso: string) => EXACT_TIME.format(new Date(iso));
export const formatDay = (iso: string) => (iso.length === 10 ? DAY_ALONE : DAY).format(new Date(iso));

/** @returns the last moment of a day, such as `2026-12-31`, in this time zone */
export const endOfDay = (day: string) => new Date(`${day}T23:59:59.999`);

/** @returns the number in a localised text, with or without thousands separators; null when it is none */
export function readNumber(text: string, locale?: string): number | null {
  const parts = new Intl.NumberFormat(locale).formatToParts(-1_234_567.8);
  const markOf = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  const even = (mark: string) => mark.replaceAll(/\s/g, ' ').replace('’', "'");
  const group = even(markOf('group'));
  const plain = even(text.trim()).replace('−', '-');
  // A group has two or three digits, the last one three: “4,8” and “4,80” are no large numbers.
  const grouped =
    group &&
    new RegExp(`^[-+]?\\d{1,3}(${escapeMark(group)}\\d{2,3})*${escapeMark(group)}\\d{3}(?!\\d)`).exec(
      plain,
    )?.[0];
  const joined = grouped ? grouped.replaceAll(group, '') + plain.slice(grouped.length) : plain;
  const written = joined.replace(markOf('decimal'), '.');
  return /^[-+]?(\d+\.?\d*|\.\d+)$/.test(written) ? Number(written) : null;
}

const escapeMark = (mark: string) => mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** @returns an amount of credits with its unit, such as `1,000 credits` */
export function formatCredits(amount: number): string {
  return `${CREDITS.format(amount).replace('-', '−')} ${Math.abs(amount) === 1 ? 'credit' : 'credits'}`;
}

/** @returns a count with its noun, such as `1 row` or `2,000 rows` */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${NUMBER.format(count)} ${count === 1 ? noun : plural}`;
}

const CAPITALS: ReadonlyMap<string, string> = new Map([
  ['linkedin', 'LinkedIn'],
  ['url', 'URL'],
  ['urls', 'URLs'],
  ['id', 'ID'],
]);

/** @returns the key of a field as a label, such as `LinkedIn URL` */
export function formatField(key: string): string {
  const text = key
    .split('_')
    .map((word) => CAPITALS.get(word) ?? word)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @returns how long ago a time is, or the date when that is more than a week */
export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return formatDay(iso);
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length) return RELATIVE.format(Math.trunc(seconds / length), unit);
  return 'just now';
}

/** @returns a duration in milliseconds as text: `240 ms`, `3.2 s`, `2 min 5 s` */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';

/** @returns the time in a time-ordered id: its first 48 bits are Unix time in milliseconds */
export function timeOfId(id: string): string {
  let bits = 0n;
  for (const letter of id.slice(id.indexOf('_') + 1)) bits = bits * 32n + BigInt(BASE32.indexOf(letter));
  return new Date(Number(bits >> 80n)).toISOString();
}
