import {
  createHttpApi,
  FallbackRateLimitStore,
  identityKeySource,
  IdentityStore,
  MemoryRateLimitStore,
  RedisRateLimitStore,
  type RateLimitStore,
} from '@quarry/edge';
import { Database, openRedis, systemCtx, type RpcTransport } from '@quarry/platform';
import type { Logger } from 'pino';
import type { GatewayEnv } from './gateway.env.js';

/** Patience with the limiter: slower than this, counting in this process serves the caller better. */
const REDIS_COMMAND_TIMEOUT_MS = 250;

export interface Gateway {
  port: number;
  /** Closes in reverse order of opening. */
  close(): Promise<void>;
}

/** Opens what the gateway needs, in order, and listens. The caller owns `rpc`. */
export async function startGateway(env: GatewayEnv, rpc: RpcTransport, logger: Logger): Promise<Gateway> {
  // Keys are read through the pipelined readers; nothing here needs a transaction.
  const database = await Database.open({ url: env.DATABASE_URL, applicationName: 'gateway', poolSize: 1 });
  const rateLimits = openRateLimits(env, logger);
  const api = await createHttpApi({
    rpc,
    keys: identityKeySource(new IdentityStore(database), (error) =>
      logger.warn({ err: error }, 'the use of a key could not be noted'),
    ),
    rateLimits,
    rateLimitScale: env.RATE_LIMIT_SCALE,
    trustedProxies: env.TRUSTED_PROXIES,
    readiness: { database: () => database.query(systemCtx('readiness'), 'SELECT 1') },
    logger,
  });
  const port = await api.listen(env.PORT, env.HOST);
  return {
    port,
    close: async () => {
      await api.close();
      await rateLimits.close();
      await database.close();
    },
  };
}

function openRateLimits(env: GatewayEnv, logger: Logger): RateLimitStore {
  const local = new MemoryRateLimitStore();
  if (!env.REDIS_URL) return local;
  const shared = new RedisRateLimitStore(openRedis(env.REDIS_URL, REDIS_COMMAND_TIMEOUT_MS));
  return new FallbackRateLimitStore(shared, local, (error) =>
    logger.warn({ err: error }, 'requests are counted in this process: Redis cannot be asked'),
  );
}
