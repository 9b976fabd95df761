import { openRedis, PooledQueueError, requireQueueSession } from '@quarry/queue';
import { DatabaseSetUpError, requireServer } from './local-database.js';
import { serverFault } from './server-fault.js';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Connects once to the server of the queues. BullMQ would wait for it forever without a message.
 * @param variable the environment variable that names it
 * @throws DatabaseSetUpError
 */
export async function requireQueueServer(url: string, variable: string): Promise<void> {
  if (/^postgres(ql)?:/.test(url)) return requirePostgres(url, variable);
  const client = await openRedis(url, CONNECT_TIMEOUT_MS);
  const fault = new Promise<Error>((resolve) => {
    client.once('error', resolve);
    setTimeout(() => resolve(new Error('timeout expired')), CONNECT_TIMEOUT_MS).unref();
  });
  const ready = new Promise<null>((resolve) => void client.once('ready', () => resolve(null)));
  try {
    const cause = await Promise.race([ready, fault]);
    if (cause === null) return;
    const { hostname, port } = new URL(url);
    throw new DatabaseSetUpError(
      `Redis at ${hostname}:${port || '6379'} cannot be used: ${serverFault(cause, 'Redis', CONNECT_TIMEOUT_MS)}. Check QUEUE_URL, and that Redis runs; without QUEUE_URL the queues live in the database.`,
      { cause },
    );
  } finally {
    client.disconnect();
  }
}

async function requirePostgres(url: string, variable: string): Promise<void> {
  await requireServer(url, variable);
  await requireQueueSession(url).catch((cause: unknown) => {
    if (cause instanceof PooledQueueError) throw new DatabaseSetUpError(cause.message, { cause });
    throw cause;
  });
}
