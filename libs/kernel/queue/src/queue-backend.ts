import type { Queue, Worker } from 'bullmq';

/** Entry of the catalogue for one queue; the catalogue itself belongs to the contracts. */
export interface QueueDefinition {
  readonly payload: new () => object;
  readonly concurrency: number;
  readonly lockMs: number;
}

/**
 * Maximum number of PostgreSQL connections for the queues of one process, by purpose. Statements are short, so the excess
 * waits only a moment; all consumers share one connection for notifications.
 */
export const QUEUE_CONNECTIONS = { queues: 4, notifications: 1 } as const;

/** Storage of the queues. */
export interface QueueBackend {
  queue(name: string): Queue;
  /** Adds messages to the queue; some may have been added if it fails. */
  addMessages(queue: Queue, name: string, payloads: readonly object[]): Promise<unknown>;
  worker(
    name: string,
    definition: QueueDefinition,
    run: (data: unknown, signal: AbortSignal) => Promise<void>,
  ): Worker;
  close(): Promise<void>;
}

/** A message is a hint: nothing of it is stored after it was handled. */
export const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true };

type Processor = Parameters<QueueBackend['worker']>[2];

/** @returns the handler in BullMQ's format */
export function processorOf(run: Processor) {
  return async (job: { data: unknown }, _token?: string, signal?: AbortSignal): Promise<void> => {
    await run(job.data, signal ?? new AbortController().signal);
  };
}

/** @returns BullMQ's options for the consumer of a queue */
export function workerOptions(definition: QueueDefinition) {
  return {
    concurrency: definition.concurrency,
    lockDuration: definition.lockMs,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  };
}
