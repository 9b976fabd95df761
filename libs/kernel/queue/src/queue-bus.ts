import { withDeadline } from '@quarry/resilience';
import { inSpan, untraced } from '@quarry/tracing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { Queue, Worker } from 'bullmq';
import type { RoleName } from '@quarry/postgres';
import { QUEUE_CONNECTIONS, type QueueBackend, type QueueDefinition } from './queue-backend.js';
import { isPostgres } from './queue-schema.js';

export type QueueDefinitions = Readonly<Record<string, QueueDefinition>>;
type PayloadOf<C extends QueueDefinitions, N extends keyof C> = InstanceType<C[N]['payload']>;

/** Handles one message. The signal fires if the queue has given the message to another consumer, or at shutdown. */
export type QueueHandler<Payload> = (payload: Payload, signal: AbortSignal) => Promise<void>;
export type QueueHandlers<C extends QueueDefinitions, N extends keyof C> = {
  [K in N]: QueueHandler<PayloadOf<C, K>>;
};

export interface QueueBusOptions {
  /** `redis://…` or `postgres://…` */
  url: string;
  /** PostgreSQL role that the user of the URL switches to; the user itself by default. */
  role?: RoleName;
  onError?: (error: Error, queue: string) => void;
}

/** Consumer of one queue in this process. */
interface Consumer {
  name: string;
  worker: Worker;
  handle: (payload: object, lost?: AbortSignal) => Promise<void>;
  /** Maximum number of concurrent messages, and the ones that are being handled. */
  concurrency: number;
  active: Set<Promise<void>>;
  /** Number of them that were handed over directly, without the queue. */
  handedOver: number;
}

/** Number of oldest messages per read, and of reads, when looking for one that is still waiting. */
const OLDEST_READ = 5;
const LOOKS = 3;

/** Longer than a command may take, so that a slow server is not mistaken for an unavailable one. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Access to the queues, over BullMQ on Redis or on PostgreSQL. A message is a hint that carries ids; its consumers
 * tolerate lost and duplicate messages by design.
 */
export class QueueBus<C extends QueueDefinitions> {
  private readonly queues = new Map<keyof C, Queue>();
  private readonly consumers: Consumer[] = [];
  private readonly stopping = new AbortController();
  private closing: Promise<void> | null = null;

  private constructor(
    private readonly catalogue: C,
    private readonly backend: QueueBackend,
    private readonly onError: (error: Error, queue: string) => void,
  ) {}

  /** @returns the maximum number of PostgreSQL connections for queues with this address in one process, by purpose */
  static connectionsOf(url: string): Readonly<Record<string, number>> {
    return isPostgres(url) ? QUEUE_CONNECTIONS : {};
  }

  /**
   * Opens the queues; on PostgreSQL their schema must exist: see `migrateQueues`. Loads BullMQ and its client on demand,
   * and does not wait for the server.
   */
  static async open<C extends QueueDefinitions>(
    catalogue: C,
    options: QueueBusOptions,
  ): Promise<QueueBus<C>> {
    const backend = isPostgres(options.url)
      ? (await import('./postgres-queues.js')).postgresBackend(options)
      : (await import('./redis-queues.js')).redisBackend(options.url);
    return new QueueBus(catalogue, backend, options.onError ?? (() => undefined));
  }

  /**
   * Adds messages. If a consumer of this process has free capacity, they are handed to it directly: a hint that is lost
   * with its process is sent again, like one that a queue has lost.
   * @throws TypeError if a payload does not match its class, which is a bug of the caller
   * @throws Error if the queue does not accept them; some may have been added nevertheless
   */
  async addMessages<N extends keyof C & string>(name: N, payloads: Array<PayloadOf<C, N>>): Promise<void> {
    if (payloads.length === 0) return;
    const parsed = payloads.map((payload) => parsePayload(this.definitionOf(name), name, payload));
    const facts = { 'messaging.destination.name': name, 'messaging.batch.message_count': payloads.length };
    await inSpan('producer', `add ${name}`, facts, async () => {
      const consumer = this.findFreeConsumer(name, parsed.length);
      if (consumer) parsed.forEach((payload) => this.handOver(consumer, payload));
      else await this.askQueue(name, (queue) => this.backend.addMessages(queue, name, payloads));
    }).catch((error: unknown) => {
      // The producers continue without the queue, so the reason of the failure must be reported here.
      this.onError(error as Error, name);
      throw error;
    });
  }

  /**
   * Starts a consumer for each of the named queues.
   * @throws Error if a handler is missing, or if this process already consumes one of the queues
   */
  consumeQueue<N extends keyof C & string>(names: readonly N[], handlers: QueueHandlers<C, N>): void {
    for (const name of names) {
      const handler = handlers[name] as QueueHandler<unknown> | undefined;
      if (!handler) throw new Error(`The queue ${name} has no handler.`);
      if (this.consumers.some((consumer) => consumer.name === name))
        throw new Error(`The queue ${name} has two handlers.`);
      const definition = this.definitionOf(name);
      const active = new Set<Promise<void>>();
      const handle = (payload: object, lost?: AbortSignal): Promise<void> => {
        const { signal } = this.stopping;
        const work = handler(payload, lost ? AbortSignal.any([lost, signal]) : signal);
        active.add(work);
        return work.finally(() => active.delete(work));
      };
      const worker = this.backend.worker(name, definition, (data, lost) =>
        handle(parsePayload(definition, name, data), lost),
      );
      worker.on('error', (error) => this.onError(error, name));
      const { concurrency } = definition;
      this.consumers.push({ name, worker, handle, concurrency, active, handedOver: 0 });
    }
  }

  /** @returns the number of messages that wait or are being handled */
  async countMessages(name: keyof C & string): Promise<number> {
    const counts = await this.askQueue(name, (queue) =>
      queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized'),
    );
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  }

  /** @returns the number of unclaimed messages, without those that a dead consumer holds */
  async countWaiting(name: keyof C & string): Promise<number> {
    const counts = await this.askQueue(name, (queue) =>
      queue.getJobCounts('waiting', 'delayed', 'prioritized'),
    );
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  }

  /** @returns the message that has waited longest, or almost so, without taking it; null if none waits */
  async peekMessage<N extends keyof C & string>(name: N): Promise<PayloadOf<C, N> | null> {
    for (let look = 0; look < LOOKS; look += 1) {
      const count = await this.askQueue(name, (queue) => queue.getWaitingCount());
      if (count === 0) break;
      // Both backends count from the newest. Reads several messages, repeatedly, because consumers take the oldest meanwhile.
      const oldest = await this.askQueue(name, (queue) =>
        queue.getJobs(['waiting'], Math.max(0, count - OLDEST_READ), -1),
      );
      const [first] = oldest.sort((a, b) => Number(a.id) - Number(b.id));
      if (first) return parsePayload(this.definitionOf(name), name, first.data) as PayloadOf<C, N>;
    }
    return null;
  }

  /** Stops fetching from the named queues, or from all; current messages continue. The first step of a shutdown. */
  async pauseQueues(names?: ReadonlyArray<keyof C & string>): Promise<void> {
    await Promise.all(this.consumersOf(names).map((worker) => worker.pause(true)));
  }

  /** Resumes fetching messages. */
  async resumeQueues(names?: ReadonlyArray<keyof C & string>): Promise<void> {
    await Promise.all(this.consumersOf(names).map((worker) => worker.resume()));
  }

  /** Stops fetching messages, gives the current ones `graceMs` to end, and then aborts them. */
  close(graceMs = 0): Promise<void> {
    return (this.closing ??= this.closeOnce(graceMs));
  }

  private async closeOnce(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.stopping.abort(new Error('The process is stopping.')), graceMs);
    await this.pauseQueues();
    await this.untilIdle();
    // A consumer waits for its queue without limit, so the question is whether it still answers after the last message. One that is
    // gone delivers nothing, and messages whose end it has not been told come again later.
    const isForced = !(await this.isAnswering());
    const closed = Promise.all(this.consumers.map(({ worker }) => worker.close(isForced)));
    const late = (): Error => new Error('The queue does not answer.');
    await withDeadline(closed, { ms: graceMs + ANSWER_TIMEOUT_MS, late }).catch((error: unknown) => {
      for (const { name } of this.consumers) this.onError(error as Error, name);
    });
    await this.untilIdle();
    clearTimeout(timer);
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
    await this.backend.close();
  }

  /** Waits until no message is being handled. */
  private async untilIdle(): Promise<void> {
    const active = (): Array<Promise<void>> => this.consumers.flatMap((consumer) => [...consumer.active]);
    while (active().length > 0) await Promise.allSettled(active());
  }

  private async isAnswering(): Promise<boolean> {
    const name = this.consumers[0]?.name;
    if (name === undefined) return true;
    return this.countWaiting(name as keyof C & string).then(
      () => true,
      () => false,
    );
  }

  private consumersOf(names?: readonly string[]): Worker[] {
    return this.consumers.flatMap(({ name, worker }) => ((names?.includes(name) ?? true) ? [worker] : []));
  }

  /** Returns a consumer with enough free slots. One slot stays with the queue: BullMQ needs at least one. */
  private findFreeConsumer(name: string, messages: number): Consumer | undefined {
    const consumer = this.consumers.find((each) => each.name === name);
    if (!consumer || consumer.worker.isPaused()) return undefined;
    const { active, concurrency, handedOver } = consumer;
    const free = Math.min(concurrency - active.size, concurrency - 1 - handedOver);
    return messages <= free ? consumer : undefined;
  }

  /**
   * Starts a handler directly. It does not join the producer's trace, because the work behind the hint has its own. Errors
   * are ignored: like with the queue, the handler has reported them.
   */
  private handOver(consumer: Consumer, payload: object): void {
    const count = (change: number): void => {
      consumer.handedOver += change;
      consumer.worker.concurrency = consumer.concurrency - consumer.handedOver;
    };
    count(1);
    void untraced(() => consumer.handle(payload))
      .catch(() => undefined)
      .finally(() => count(-1));
  }

  /**
   * Sends a request to a queue with a timeout, so that the caller can continue without the queue. The timeout of a command
   * is not enough: a queue that is first used while its server is down waits for a connection before it sends any.
   * @throws Error after ANSWER_TIMEOUT_MS; a message may have been added nevertheless
   */
  private async askQueue<T>(name: keyof C & string, question: (queue: Queue) => Promise<T>): Promise<T> {
    const late = (): Error => new Error(`The queue ${name} does not answer.`);
    return withDeadline(question(this.getQueue(name)), { ms: ANSWER_TIMEOUT_MS, late });
  }

  private getQueue(name: keyof C & string): Queue {
    let queue = this.queues.get(name);
    if (!queue) {
      this.definitionOf(name);
      // Untraced, because its connections outlive the first request.
      queue = untraced(() => this.backend.queue(name));
      queue.on('error', (error) => this.onError(error, name));
      this.queues.set(name, queue);
    }
    return queue;
  }

  private definitionOf(name: keyof C & string): QueueDefinition {
    const definition = this.catalogue[name];
    if (!definition) throw new Error(`The queue ${name} is not in the catalogue.`);
    return definition;
  }
}

function parsePayload(definition: QueueDefinition, name: string, data: unknown): object {
  const payload = plainToInstance(definition.payload, data);
  // Unknown fields are ignored: a newer producer may send them to an older consumer during a rolling update.
  const faults = validateSync(payload);
  if (faults.length > 0)
    throw new TypeError(
      `The message on ${name} is not valid: ${faults.map((fault) => fault.property).join(', ')}`,
    );
  return payload;
}
