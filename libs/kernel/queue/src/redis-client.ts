import type { Redis } from 'ioredis';

/** A connection to Redis. */
export type RedisClient = Redis;

/**
 * Opens a connection for short commands on the path of a request: it never queues while Redis is away and gives
 * a command up soon, so that the caller can go on without Redis.
 * @param url `redis://host:port/db`
 * @param commandTimeoutMs patience with one command
 */
export async function openRedis(url: string, commandTimeoutMs: number): Promise<RedisClient> {
  // Loaded by who has a Redis.
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2_000,
    // Half a second at most: a limiter that is back should be used again soon.
    retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  });
  // Without a listener a lost connection would end the process; its commands fail and tell their callers.
  client.on('error', () => undefined);
  return client;
}
