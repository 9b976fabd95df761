import type { RateClass } from './rate-class.catalogue.js';

/** One request that wants to be counted. */
export interface RateRequest {
  keyId: string;
  userId: string;
  rateClass: RateClass;
  /** Names the request's place among those in flight. */
  requestId: string;
}

/** The answer to a request. `limit`, `remaining` and `resetSeconds` become the RateLimit headers. */
export interface RateVerdict {
  /** `window`: the minute's budget is used up; `concurrency`: too many are in flight. */
  outcome: 'admitted' | 'window' | 'concurrency';
  limit: number;
  /** The rest of the key's budget or of the user's ceiling, whichever is less. */
  remaining: number;
  /** Whole seconds, at least 1, until the oldest counted request leaves the window and gives its place back. */
  resetSeconds: number;
}

/**
 * Counts requests over a sliding window. A request is counted when it is admitted, and only then: turning
 * requests away never prolongs a refusal.
 */
export interface RateLimitStore {
  /** Judges and counts a request; an admitted one of a class with bounded concurrency holds a place. */
  takeRequest(request: RateRequest): RateVerdict | Promise<RateVerdict>;
  /** Gives the place of an admitted request back. Never throws: a place that is lost expires by itself. */
  releaseRequest(request: RateRequest): void;
  close(): Promise<void>;
}

/**
 * Longest that a place in flight is held without being given back, should its process die: longer than the
 * slowest call behind a class with bounded concurrency (a fast service or a run's start), and short enough that
 * a crash does not lock a key out for long.
 */
export const PLACE_TTL_MS = 120_000;
