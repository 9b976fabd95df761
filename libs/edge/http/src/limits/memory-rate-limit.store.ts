import { RATE_WINDOW_MS, USER_CEILING_FACTOR } from './rate-class.catalogue.js';
import { PLACE_TTL_MS, type RateLimitStore, type RateRequest, type RateVerdict } from './rate-limit.store.js';
import { SlidingWindowStore } from './sliding-window.store.js';

/** Counts within this process: exact for one gateway, too generous for several. */
export class MemoryRateLimitStore implements RateLimitStore {
  private readonly windows = new SlidingWindowStore(RATE_WINDOW_MS);
  /** Requests in progress by key and class: request id to the time when its slot expires. */
  private readonly places = new Map<string, Map<string, number>>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  takeRequest(request: RateRequest): RateVerdict {
    const { keyId, userId, rateClass } = request;
    const nowMs = this.nowMs();
    const key = this.windows.window(`${rateClass.name} ${keyId}`, rateClass.budget, nowMs);
    const ceiling = rateClass.budget * USER_CEILING_FACTOR;
    const user = this.windows.window(`${rateClass.name} ${userId}`, ceiling, nowMs);
    const keyLeft = key.remaining(nowMs);
    const left = Math.min(keyLeft, user.remaining(nowMs));
    // When the user's ceiling refuses, its window determines when the next request is admitted.
    const binding = keyLeft > left ? user : key;
    let outcome: RateVerdict['outcome'] = 'window';
    if (left > 0) outcome = this.holdPlace(request, nowMs) ? 'admitted' : 'concurrency';
    if (outcome === 'admitted') {
      key.add(nowMs);
      user.add(nowMs);
    }
    return {
      outcome,
      limit: rateClass.budget,
      remaining: outcome === 'admitted' ? left - 1 : left,
      resetSeconds: Math.max(1, Math.ceil(binding.untilNextMs(nowMs) / 1000)),
    };
  }

  releaseRequest({ keyId, rateClass, requestId }: RateRequest): void {
    const name = `${rateClass.name} ${keyId}`;
    const held = this.places.get(name);
    if (held?.delete(requestId) && held.size === 0) this.places.delete(name);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private holdPlace({ keyId, rateClass, requestId }: RateRequest, nowMs: number): boolean {
    if (rateClass.concurrency === null) return true;
    const name = `${rateClass.name} ${keyId}`;
    const held = this.places.get(name) ?? new Map<string, number>();
    for (const [id, expiresAtMs] of held) if (expiresAtMs <= nowMs) held.delete(id);
    if (held.size >= rateClass.concurrency) return false;
    held.set(requestId, nowMs + PLACE_TTL_MS);
    this.places.set(name, held);
    return true;
  }
}
