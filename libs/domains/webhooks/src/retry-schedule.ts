const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Between one attempt and the next, in milliseconds. Source: Standard Webhooks, Deliverability. */
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

/** Attempts until a delivery has failed for good. */
export const TRIES_MAX = DELAYS.length + 1;

// Receivers that failed together are not asked again together.
const JITTER = 0.2;
const RETRY_AFTER_MAX = 24 * HOUR;

/**
 * @param tries attempts that have failed
 * @param retryAfterMs what the receiver has asked for
 * @returns milliseconds until the next attempt; null when there is none
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
