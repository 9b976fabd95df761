import type { RateClass } from './rate-class.catalogue.js';

/** A request to count. */
export interface RateRequest {
  keyId: string;
  userId: string;
  rateClass: RateClass;
  /** Identifies the request's concurrency slot. */
  requestId: string;
}

/** Result of counting a request. `limit`, `remaining` and `resetSeconds` become the RateLimit headers. */
export interface RateVerdict {
  /** `window`: the budget of the minute is used up; `concurrency`: too many requests are in progress. */
  outcome: 'admitted' | 'window' | 'concurrency';
  limit: number;
  /** The rest of the key's budget or of the user's ceiling, whichever is less. */
  remaining: number;
  /** Whole seconds, at least 1, until the oldest counted request leaves the window. */
  resetSeconds: number;
}

/** Counts requests in a sliding window. Only admitted requests count, so refused ones never prolong a refusal. */
export interface RateLimitStore {
  /** Judges and counts a request; when it is admitted and its class limits concurrency, it occupies a slot. */
  takeRequest(request: RateRequest): RateVerdict | Promise<RateVerdict>;
  /** Releases the slot of an admitted request. Never throws: a lost slot expires by itself. */
  releaseRequest(request: RateRequest): void;
  close(): Promise<void>;
}

/**
 * Milliseconds after which a slot that was not released expires, because its process may have died: longer than the slowest call
 * with limited concurrency (a fast service or the start of a run), and short enough that a crash does not lock a key out for
 * long.
 */
export const PLACE_TTL_MS = 120_000;
