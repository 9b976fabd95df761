import { openRedis, type Database, type RpcTransport } from '@quarry/platform';
import type { Logger } from 'pino';
import { IdentityStore } from '../identity/identity.store.js';
import { identityKeySource } from '../keys/identity-key-source.js';
import { FallbackRateLimitStore } from '../limits/fallback-rate-limit.store.js';
import { MemoryRateLimitStore } from '../limits/memory-rate-limit.store.js';
import type { RateLimitStore } from '../limits/rate-limit.store.js';
import { RedisRateLimitStore } from '../limits/redis-rate-limit.store.js';
import { createHttpApi } from './create-http-api.js';

/** Patience with the limiter: slower than this, counting in this process serves the caller better. */
const REDIS_COMMAND_TIMEOUT_MS = 250;

export interface HttpEdgeOptions {
  port: number;
  host: string;
  /** Holds the API keys; stays open when the edge closes. */
  database: Database;
  rpc: RpcTransport;
  /** Redis that all gateways count requests in; null: this process counts by itself. */
  redisUrl: string | null;
  rateLimitScale: number;
  trustedProxies: readonly string[];
  /** Milliseconds from the first word of a stop to the end of listening; none when left out. */
  leaveMs?: number;
  logger: Logger;
}

/** The public HTTP edge, listening. */
export interface HttpEdge {
  port: number;
  /** Lets requests in flight end, then closes what the edge opened. */
  close(hurry?: AbortSignal): Promise<void>;
}

/** Opens limiter and HTTP server over a way to the services, and listens. */
export async function openHttpEdge(options: HttpEdgeOptions): Promise<HttpEdge> {
  const { database, logger } = options;
  const rateLimits = openRateLimits(options.redisUrl, logger);
  const api = await createHttpApi({
    rpc: options.rpc,
    keys: identityKeySource(new IdentityStore(database), (error) =>
      logger.warn({ err: error }, 'the use of a key could not be noted'),
    ),
    rateLimits,
    rateLimitScale: options.rateLimitScale,
    trustedProxies: options.trustedProxies,
    readiness: { database: () => database.ping() },
    isStuck: () => database.isStuck,
    logger,
    timeouts: { leaveMs: options.leaveMs ?? 0 },
  });
  const port = await api.listen(options.port, options.host);
  return {
    port,
    close: async (hurry) => {
      await api.close(hurry);
      await rateLimits.close();
    },
  };
}

function openRateLimits(redisUrl: string | null, logger: Logger): RateLimitStore {
  const local = new MemoryRateLimitStore();
  if (redisUrl === null) return local;
  const shared = new RedisRateLimitStore(openRedis(redisUrl, REDIS_COMMAND_TIMEOUT_MS));
  return new FallbackRateLimitStore(shared, local, (error) =>
    logger.warn({ err: error }, 'requests are counted in this process: Redis cannot be asked'),
  );
}
