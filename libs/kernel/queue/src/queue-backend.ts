import type { Queue, Worker } from 'bullmq';

/** Entry of the catalogue for one queue; the catalogue itself belongs to the contracts. */
export interface QueueDefinition {
  readonly payload: new () => object;
  readonly concurrency: number;
  readonly lockMs: number;
}

/**
 * Connections that the queues of one process may hold in PostgreSQL, by what they carry: statements are short, and the rest
 * wait a moment; all consumers hear of new messages on one connection.
 */
export const QUEUE_CONNECTIONS = { queues: 4, notifications: 1 } as const;

/** Storage that holds the queues. */
export interface QueueBackend {
  queue(name: string): Queue;
  /** Adds messages to the queue of this name; some may have been added when it fails. */
  addMessages(queue: Queue, name: string, payloads: readonly object[]): Promise<unknown>;
  worker(
    name: string,
    definition: QueueDefinition,
    run: (data: unknown, signal: AbortSignal) => Promise<void>,
  ): Worker;
  close(): Promise<void>;
}

/** A message is a hint: nothing of it is kept when it has been handled. */
export const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true };

type Processor = Parameters<QueueBackend['worker']>[2];

/** @returns the handler as BullMQ calls it */
export function processorOf(run: Processor) {
  return async (job: { data: unknown }, _token?: string, signal?: AbortSignal): Promise<void> => {
    await run(job.data, signal ?? new AbortController().signal);
  };
}

/** @returns what BullMQ is told of the consumer of a queue */
export function workerOptions(definition: QueueDefinition) {
  return {
    concurrency: definition.concurrency,
    lockDuration: definition.lockMs,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  };
}
