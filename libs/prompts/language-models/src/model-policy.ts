import type { BreakerPolicy, RetryBudgetPolicy } from '@quarry/resilience';

/** Limits of the requests to a model. All numbers are per process: each one decides by its own observations. */
export interface ModelPolicy {
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  /** Maximum number of requests per call, including the first. */
  readonly callsMax: number;
  /**
   * Longest wait before the second request; it doubles for each further one. Full jitter: a random time between 0 and this.
   */
  readonly retryWaitMs: number;
  readonly retries: RetryBudgetPolicy;
  readonly breaker: BreakerPolicy;
}

/**
 * Reasons for each number:
 * - eight concurrent requests: a local server processes a few at once and queues the rest, where their deadlines would run;
 * - four requests, up to 0.5, 1 and 2 seconds apart, fit into the shortest deadline (20 s of planning) together with the
 *   responses;
 * - one retry per five requests, and five extra ones per minute: requests are few and expensive, so that brief failures
 *   should be hidden, and a model that is down does not get many more requests than one that is up;
 * - half of at least six requests failing in a minute open the breaker: there are far fewer than calls of vendors. After
 *   ten seconds one request probes it.
 */
export const MODEL_POLICY: ModelPolicy = {
  concurrency: 8,
  callsMax: 4,
  retryWaitMs: 500,
  retries: { share: 0.2, spare: 5, windowMs: 60_000 },
  breaker: { windowMs: 60_000, callsMin: 6, failureShare: 0.5, openMs: 10_000 },
};
