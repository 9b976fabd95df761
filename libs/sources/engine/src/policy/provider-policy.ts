import type { BreakerPolicy, Rate, RetryBudgetPolicy } from '@quarry/resilience';

/** Limits of the calls to a provider. Every number is per process: each worker decides by what it has seen itself. */
export interface ProviderPolicy {
  /** Calls that are open at once. */
  concurrency: number;
  /** Returns the rates of a service's calls; left out, as many as there are places. Services of one list share them. */
  ratesOf?: ((service: string) => readonly Rate[]) | undefined;
  /** Calls of one search at most, the first included. */
  callsMax: number;
  /** Longest wait before a repeated call. Full jitter: anything from nothing to this. */
  retryWaitMs: number;
  /** Longest wait for a turn. The deadline stands still meanwhile. */
  waitMaxMs: number;
  retries: RetryBudgetPolicy;
  /** null never stops calling. */
  breaker: BreakerPolicy | null;
  /** A pause that the provider asks for is waited out when it is this long at most; else searches end `capacity`. */
  pauseMaxMs: number;
  /** A longer pause holds for this long, then the provider is called again. */
  pauseHeldMs: number;
  /** Milliseconds without calls after a failure that only the operator can put right: a wrong key, an empty account. */
  operatorRestMs: number;
}

/**
 * For vendors. Reasons for each number:
 * - two calls, a fifth of a second apart: a hiccup passes unseen, an outage is not made worse;
 * - one repeat for ten calls is the client's budget of Google's SRE book (Handling overload); three to spare in a
 *   minute let a quiet provider have its hiccup;
 * - half of at least twenty calls failing in a minute is an outage and no bad luck: of twenty calls that fail with 5 %
 *   each, ten do once in 10^8 times. Ten seconds of rest cost a recovered provider little, and a dead one is called six
 *   times a minute;
 * - twenty places at half a minute a call turn over 1,200 lines in half an hour, about what a worker has in hand;
 * - half a minute is a fifth of the shortest deadline (150 s); after a quarter of an hour a vendor that named a whole
 *   day may have been given a new quota. An account without a valid key or credits is asked again after as long: nobody
 *   puts that right sooner, and each call would be refused.
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
 * For the sandbox, which costs nobody anything and fails only when it is asked to: every customer's control domains
 * must do what they say, however many others fail on purpose at the same time.
 */
export const SANDBOX_POLICY: ProviderPolicy = {
  ...VENDOR_POLICY,
  concurrency: Infinity,
  retries: { share: 1, spare: 1, windowMs: 60_000 },
  breaker: null,
};
