import type { BreakerPolicy, RetryBudgetPolicy } from '@quarry/resilience';

/** Limits of the requests to a model. Every number is per process: each one decides by what it has seen itself. */
export interface ModelPolicy {
  /** Requests that are open at once. */
  readonly concurrency: number;
  /** Requests of one ask at most, the first included. */
  readonly callsMax: number;
  /** Longest wait before the second request; it doubles for each one after it. Full jitter: anything from nothing to this. */
  readonly retryWaitMs: number;
  readonly retries: RetryBudgetPolicy;
  readonly breaker: BreakerPolicy;
}

/**
 * Reasons for each number:
 * - eight places: a local server answers a few at once and queues the rest, which would only spend their deadlines there;
 * - four requests, up to 0.5, 1 and 2 seconds apart, fit into the shortest deadline (20 s of planning) beside the answers;
 * - one repeat for five requests, five to spare in a minute: requests are few and dear, so that a hiccup should pass unseen,
 *   and a model that is down does not get many times more of them than one that is up;
 * - half of at least six requests failing in a minute: they are far fewer than calls of vendors. After ten seconds one
 *   tries again.
 */
export const MODEL_POLICY: ModelPolicy = {
  concurrency: 8,
  callsMax: 4,
  retryWaitMs: 500,
  retries: { share: 0.2, spare: 5, windowMs: 60_000 },
  breaker: { windowMs: 60_000, callsMin: 6, failureShare: 0.5, openMs: 10_000 },
};
