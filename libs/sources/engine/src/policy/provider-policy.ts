import type { BreakerPolicy, Rate, RetryBudgetPolicy } from '@quarry/resilience';

/** Limits of the calls to a provider. All numbers are per process: each worker decides by its own observations. */
export interface ProviderPolicy {
  /** Maximum number of concurrent calls. */
  concurrency: number;
  /**
   * Returns the rates of a service's calls; if omitted, only concurrency limits them. Services with the same list share its
   * rates.
   */
  ratesOf?: ((service: string) => readonly Rate[]) | undefined;
  /** Maximum number of calls per search, including the first. */
  callsMax: number;
  /** Longest wait before a retry. Full jitter: a random time between 0 and this. */
  retryWaitMs: number;
  /** Longest wait for a turn. The deadline is paused meanwhile. */
  waitMaxMs: number;
  retries: RetryBudgetPolicy;
  /** Policy of the circuit breaker; null for no breaker. */
  breaker: BreakerPolicy | null;
  /** Longest requested pause that calls wait out; during a longer one searches fail with `capacity`. */
  pauseMaxMs: number;
  /** Longest time a requested pause is observed; afterwards the provider is called again. */
  pauseHeldMs: number;
  /** Milliseconds without calls after a failure that only the operator can correct: a wrong key, no credits. */
  operatorRestMs: number;
}

/**
 * Policy for vendors. Reasons for each number:
 * - two calls, up to a fifth of a second apart: hides a brief failure without making an outage worse;
 * - one retry per ten calls is the client budget of Google's SRE book (Handling overload); three extra retries per minute
 *   cover brief failures of a provider that is rarely called;
 * - when half of at least twenty calls in a minute fail, it is an outage and not chance: if each call fails with 5 %
 *   probability, ten of twenty fail once in 10^8 times. Ten seconds without calls cost a recovered provider little, and a
 *   provider that is down is called six times a minute;
 * - twenty concurrent calls of half a minute each complete 1,200 jobs in half an hour, about as many as a worker holds;
 * - half a minute is a fifth of the shortest deadline (150 s). After a quarter of an hour a vendor that requested a pause
 *   of a whole day may have received a new quota. An account without a valid key or credits is retried after the same time:
 *   nobody corrects that sooner, and each call would be refused.
 */
export const VENDOR_POLICY: ProviderPolicy = {
  concurrency: 20,
  callsMax: 2,
  retryWaitMs: 200,
  waitMaxMs: 1_800_000,
  retries: { share: 0.1, spare: 3, windowMs: 60_000 },
  breaker: { windowMs: 60_000, callsMin: 20, failureShare: 0.5, openMs: 10_000 },
  pauseMaxMs: 30_000,
  pauseHeldMs: 900_000,
  operatorRestMs: 900_000,
};

/**
 * Policy for the sandbox, which costs nothing and fails only on request: every customer's control domains must behave as
 * documented, however many calls of others fail on purpose at the same time.
 */
export const SANDBOX_POLICY: ProviderPolicy = {
  ...VENDOR_POLICY,
  concurrency: Infinity,
  retries: { share: 1, spare: 1, windowMs: 60_000 },
  breaker: null,
};
