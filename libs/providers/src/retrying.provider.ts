import { setTimeout as delay } from 'node:timers/promises';
import {
  ProviderFailure,
  type ProviderAnswer,
  type ProviderCall,
  type SlowServiceProvider,
} from './ports/slow-service.port.js';

export interface RetryPolicy {
  /** Calls of one search at most, the first included. */
  callsMax: number;
  /** Longest wait before the second call; later ones wait up to twice as long each. Full jitter. */
  waitMs: number;
  /** A provider that asks for more patience than this gets none: the search fails and may be sent again. */
  retryAfterMaxMs: number;
}

/** Two calls within a fifth of a second: a hiccup passes unseen, an outage is not made worse. */
export const RETRY_POLICY: RetryPolicy = { callsMax: 2, waitMs: 200, retryAfterMaxMs: 5000 };

/**
 * Repeats a search whose provider failed for a moment. The only layer of the product that repeats provider calls:
 * two layers would multiply.
 */
export class RetryingProvider implements SlowServiceProvider {
  readonly id: string;
  readonly services: readonly string[];

  constructor(
    private readonly provider: SlowServiceProvider,
    private readonly policy: RetryPolicy = RETRY_POLICY,
    private readonly random: () => number = Math.random,
  ) {
    this.id = provider.id;
    this.services = provider.services;
  }

  /** @throws ProviderFailure the last failure */
  async run(call: ProviderCall): Promise<ProviderAnswer> {
    for (let calls = 1; ; calls += 1) {
      try {
        return await this.provider.run(call);
      } catch (error) {
        const waitMs = this.waitBefore(calls, error);
        if (waitMs === null) throw error;
        await delay(waitMs, undefined, { signal: call.signal });
      }
    }
  }

  /** @returns milliseconds until the next call, or null when there must be none */
  private waitBefore(calls: number, error: unknown): number | null {
    if (!(error instanceof ProviderFailure) || !error.options.isTransient || calls >= this.policy.callsMax)
      return null;
    const { retryAfterMs } = error.options;
    if (retryAfterMs !== undefined) return retryAfterMs <= this.policy.retryAfterMaxMs ? retryAfterMs : null;
    return this.random() * this.policy.waitMs * 2 ** (calls - 1);
  }
}
