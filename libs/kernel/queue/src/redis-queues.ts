import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { KEEP_NOTHING, processorOf, workerOptions, type QueueBackend } from './queue-backend.js';
import { NAMESPACE } from './queue-schema.js';

const PRODUCER_TIMEOUT_MS = 2_000;

/** Milliseconds between two fetches of a consumer whose Redis refuses them. */
const REFUSED_FETCH_MS = 1_000;

/**
 * A consumer that waits after a refused fetch, for example because of a wrong password. BullMQ waits only after a lost connection,
 * and otherwise fetches again at once, until the memory of the process is full.
 */
class PatientWorker extends Worker {
  protected override async moveToActive(
    ...call: Parameters<Worker['moveToActive']>
  ): ReturnType<Worker['moveToActive']> {
    return super.moveToActive(...call).catch(async (error: unknown) => {
      await this.delay(REFUSED_FETCH_MS);
      throw error;
    });
  }
}

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
      new PatientWorker(name, processorOf(run), {
        connection,
        prefix: NAMESPACE,
        ...workerOptions(definition),
      }),
    close: async () => {
      connection.disconnect();
      producer.disconnect();
      await Promise.resolve();
    },
  };
}
