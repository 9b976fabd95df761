import type { Redis } from 'ioredis';

/** A connection to Redis. */
export type RedisClient = Redis;

/**
 * Opens a connection for short commands in the path of a request: it does not queue commands while Redis is unavailable
 * and fails them quickly, so that the caller can continue without Redis.
 * @param url `redis://host:port/db`
 * @param commandTimeoutMs timeout of one command
 */
export async function openRedis(url: string, commandTimeoutMs: number): Promise<RedisClient> {
  // Loaded on demand.
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2_000,
    // Half a second at most, so that a limiter that is back is used again soon.
    retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  });
  // Without a listener a lost connection would end the process; its commands fail and report the error.
  client.on('error', () => undefined);
  return client;
}
