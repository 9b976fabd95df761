import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { KEEP_NOTHING, processorOf, workerOptions, type QueueBackend } from './queue-backend.js';
import { NAMESPACE } from './queue-schema.js';

const PRODUCER_TIMEOUT_MS = 2_000;

/** @returns queues stored in Redis */
export function redisBackend(url: string): QueueBackend {
  // Workers use blocking commands, so they must wait for Redis to return instead of failing.
  const connection = new Redis(url, { maxRetriesPerRequest: null, enableReadyCheck: false });
  const producer = new Redis(url, {
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    lazyConnect: true,
    // A server that hangs does not respond at all; callers must notice and continue without it.
    commandTimeout: PRODUCER_TIMEOUT_MS,
  });
  producer.on('error', () => undefined);
  connection.on('error', () => undefined);
  void producer.connect().catch(() => undefined);
  return {
    queue: (name) => new Queue(name, { connection: producer, prefix: NAMESPACE }),
    addMessages: (queue, name, payloads) =>
      queue.addBulk(payloads.map((data) => ({ name, data, opts: KEEP_NOTHING }))),
    worker: (name, definition, run) =>
      new Worker(name, processorOf(run), { connection, prefix: NAMESPACE, ...workerOptions(definition) }),
    close: async () => {
      connection.disconnect();
      producer.disconnect();
      await Promise.resolve();
    },
  };
}
