/** Milliseconds before each further attempt: within a minute, then 5, 15 and 60 minutes. Source: docs/outreach.md. */
const DELAYS_MS = [45_000, 300_000, 900_000, 3_600_000];

/**
 * @param failed number of failed attempts
 * @returns milliseconds until the next one; null when there is none
 */
export function retryInMs(failed: number): number | null {
  return DELAYS_MS[failed - 1] ?? null;
}

/**
 * @param failures consecutive failed connections to a server
 * @returns milliseconds until it is tried again
 */
export function pauseMs(failures: number): number {
  return DELAYS_MS[Math.min(failures, DELAYS_MS.length) - 1] ?? 0;
}
