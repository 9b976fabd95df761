import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@quarry/app';
import { openRedis } from '@quarry/queue';
import { FallbackRateLimitStore } from './fallback-rate-limit.store.js';
import { MemoryRateLimitStore } from './memory-rate-limit.store.js';
import type { RateLimitStore } from './rate-limit.store.js';
import { RedisRateLimitStore } from './redis-rate-limit.store.js';

/** Milliseconds to wait for Redis: when it is slower, counting in this process serves the caller better. */
const REDIS_COMMAND_TIMEOUT_MS = 250;

export const RATE_LIMITS = Symbol('quarry:rate-limits');

/** Provides the rate limits, and closes their connection at the end. */
@Module({})
export class RateLimitsModule implements OnApplicationShutdown {
  static forRoot(redisUrl: string | null): DynamicModule {
    const useFactory = (logger: Logger) => openRateLimits(redisUrl, logger);
    return {
      module: RateLimitsModule,
      providers: [{ provide: RATE_LIMITS, useFactory, inject: [LOGGER] }],
      exports: [RATE_LIMITS],
    };
  }

  constructor(@Inject(RATE_LIMITS) private readonly rateLimits: RateLimitStore) {}

  async onApplicationShutdown(): Promise<void> {
    await this.rateLimits.close();
  }
}

async function openRateLimits(redisUrl: string | null, logger: Logger): Promise<RateLimitStore> {
  const local = new MemoryRateLimitStore();
  if (redisUrl === null) return local;
  const shared = new RedisRateLimitStore(await openRedis(redisUrl, REDIS_COMMAND_TIMEOUT_MS));
  return new FallbackRateLimitStore(shared, local, (error) =>
    logger.warn({ err: error }, 'requests are counted in this process: Redis is unavailable'),
  );
}
