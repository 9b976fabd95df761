import type { RedisClient } from '@quarry/queue';
import { RATE_WINDOW_MS, USER_CEILING_FACTOR } from './rate-class.catalogue.js';
import { PLACE_TTL_MS, type RateLimitStore, type RateRequest, type RateVerdict } from './rate-limit.store.js';
import { TAKE_SCRIPT } from './redis-rate-limit.script.js';

type Take = (...args: Array<string | number>) => Promise<[number, number, number]>;

const OUTCOMES = ['admitted', 'window', 'concurrency'] as const;

/** Counts in Redis, shared by all gateways: one round trip per request. */
export class RedisRateLimitStore implements RateLimitStore {
  private readonly runTake: Take;

  /** @param redis closed together with the store */
  constructor(private readonly redis: RedisClient) {
    redis.defineCommand('quarryTake', { numberOfKeys: 3, lua: TAKE_SCRIPT });
    this.runTake = (redis as unknown as { quarryTake: Take }).quarryTake.bind(redis);
  }

  /** @throws the client's error when Redis is unavailable */
  async takeRequest(request: RateRequest): Promise<RateVerdict> {
    const { rateClass, keyId, requestId } = request;
    const [outcome, remaining, untilNextMs] = await this.runTake(
      nameOf(request, `key:${keyId}`),
      nameOf(request, 'user'),
      nameOf(request, `places:${keyId}`),
      RATE_WINDOW_MS,
      rateClass.budget,
      rateClass.budget * USER_CEILING_FACTOR,
      rateClass.concurrency ?? 0,
      requestId,
      PLACE_TTL_MS,
    );
    return {
      outcome: OUTCOMES[outcome] ?? 'window',
      limit: rateClass.budget,
      // Never negative, even if a budget was lowered while requests were counted.
      remaining: Math.max(0, remaining),
      resetSeconds: Math.max(1, Math.ceil(untilNextMs / 1000)),
    };
  }

  releaseRequest(request: RateRequest): void {
    // Best effort: a slot that is not released expires by its score.
    this.redis.zrem(nameOf(request, `places:${request.keyId}`), request.requestId).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    return Promise.resolve();
  }
}

/** The braces keep all keys of a user on one node of a cluster, because a script may use only one. */
function nameOf({ userId, rateClass }: RateRequest, what: string): string {
  return `quarry:rate:{${userId}}:${rateClass.name}:${what}`;
}
