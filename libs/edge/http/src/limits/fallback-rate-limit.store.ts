import type { RateLimitStore, RateRequest, RateVerdict } from './rate-limit.store.js';

/** Milliseconds after a failure without the shared store, so that not every request waits for its timeout. */
const RETRY_AFTER_MS = 1_000;

/** Counts in a shared store, and in this process while that is unavailable: limits weaken, but requests pass. */
export class FallbackRateLimitStore implements RateLimitStore {
  private failedAtMs = -Infinity;

  /** @param onFailed called for each failure of the shared store, at most about once per second */
  constructor(
    private readonly shared: RateLimitStore,
    private readonly local: RateLimitStore,
    private readonly onFailed: (error: unknown) => void,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  async takeRequest(request: RateRequest): Promise<RateVerdict> {
    if (this.nowMs() - this.failedAtMs < RETRY_AFTER_MS) return this.local.takeRequest(request);
    try {
      return await this.shared.takeRequest(request);
    } catch (error) {
      if (this.nowMs() - this.failedAtMs >= RETRY_AFTER_MS) this.onFailed(error);
      this.failedAtMs = this.nowMs();
      return this.local.takeRequest(request);
    }
  }

  releaseRequest(request: RateRequest): void {
    this.shared.releaseRequest(request);
    this.local.releaseRequest(request);
  }

  async close(): Promise<void> {
    await this.shared.close();
    await this.local.close();
  }
}
