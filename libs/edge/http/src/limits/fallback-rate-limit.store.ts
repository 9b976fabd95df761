import type { RateLimitStore, RateRequest, RateVerdict } from './rate-limit.store.js';

/** Milliseconds without the first choice after a failure, so that requests do not each wait for it in vain. */
const RETRY_AFTER_MS = 1_000;

/** Counts in a shared store and, while that is away, in this process: limits weaken, requests still pass. */
export class FallbackRateLimitStore implements RateLimitStore {
  private failedAtMs = -Infinity;

  /** @param onFailed told of each failure of the shared store; at most about one per second */
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
