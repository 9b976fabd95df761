import { describe, expect, it } from '@jest/globals';
import { FallbackRateLimitStore } from './fallback-rate-limit.store.js';
import { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import type { RateLimitStore } from './rate-limit.store.js';

const request = {
  keyId: 'key_1',
  userId: 'usr_1',
  rateClass: { name: 'reads', budget: 1, concurrency: null },
  requestId: 'r',
};

describe('the rate limiter without its shared store', () => {
  it('still limits, tries the store once a second, and returns to it when it answers', async () => {
    let nowMs = 0;
    let requests = 0;
    let isAway = true;
    const shared = new MemoryRateLimitStore(() => nowMs);
    const unreliable: RateLimitStore = {
      takeRequest: (one) => {
        requests += 1;
        if (isAway) throw new Error('away');
        return shared.takeRequest(one);
      },
      releaseRequest: (one) => shared.releaseRequest(one),
      close: () => shared.close(),
    };
    const failures: unknown[] = [];
    const local = new MemoryRateLimitStore(() => nowMs);
    const limiter = new FallbackRateLimitStore(
      unreliable,
      local,
      (error) => failures.push(error),
      () => nowMs,
    );

    expect((await limiter.takeRequest(request)).outcome).toBe('admitted');
    expect((await limiter.takeRequest(request)).outcome).toBe('window');
    expect([requests, failures.length]).toEqual([1, 1]);
    isAway = false;
    nowMs = 999;
    expect((await limiter.takeRequest(request)).outcome).toBe('window');
    nowMs = 1_000;
    expect((await limiter.takeRequest(request)).outcome).toBe('admitted');
    expect(requests).toBe(2);
  });
});
