const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Delays between attempts, in milliseconds. Source: Standard Webhooks, Deliverability. */
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Number of attempts after which a delivery has failed for good. */
export const TRIES_MAX = DELAYS.length + 1;

// Prevents receivers that failed together from being retried together.
const JITTER = 0.2;
const RETRY_AFTER_MAX = 24 * HOUR;

/**
 * @param tries number of failed attempts
 * @param retryAfterMs Retry-After of the receiver
 * @returns milliseconds until the next attempt; null if there is none
 */
export function nextTryMs(
  tries: number,
  retryAfterMs = 0,
  random: () => number = Math.random,
): number | null {
  const delay = DELAYS[tries - 1];
  if (delay === undefined) return null;
  const jittered = delay * (1 + JITTER * (2 * random() - 1));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, RETRY_AFTER_MAX)));
}
