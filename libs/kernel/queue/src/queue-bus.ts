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

/** Handles one message. The signal fires when the queue has given the message to somebody else, or at shutdown. */
export type QueueHandler<Payload> = (payload: Payload, signal: AbortSignal) => Promise<void>;
export type QueueHandlers<C extends QueueDefinitions, N extends keyof C> = {
  [K in N]: QueueHandler<PayloadOf<C, K>>;
};

export interface QueueBusOptions {
  /** `redis://…` or `postgres://…` */
  url: string;
  /** Role of PostgreSQL that the user of the address works as; the user itself when left out. */
  role?: RoleName;
  onError?: (error: Error, queue: string) => void;
}

/** Consumer of one queue in this process. */
interface Consumer {
  name: string;
  worker: Worker;
  handle: (payload: object, lost?: AbortSignal) => Promise<void>;
  /** Messages that it handles at once, and those that it is handling. */
  concurrency: number;
  active: Set<Promise<void>>;
  /** Those among them that no queue has had. */
  handedOver: number;
}

/** Number of the oldest messages that are read, and of reads, to find one that is still there. */
const OLDEST_READ = 5;
const LOOKS = 3;

/** Longer than a command may take, so that a server which answers slowly is no server that is away. */
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * The way to the queues, over BullMQ on Redis or on PostgreSQL. A message is a hint that carries ids; losing one
 * or getting it twice is harmless by design of its consumers.
 */
export class QueueBus<C extends QueueDefinitions> {
  private readonly queues = new Map<keyof C, Queue>();
  private readonly consumers: Consumer[] = [];
  private readonly stopping = new AbortController();

  private constructor(
    private readonly catalogue: C,
    private readonly backend: QueueBackend,
    private readonly onError: (error: Error, queue: string) => void,
  ) {}

  /** @returns connections to PostgreSQL that queues with this address may hold in one process, by what they carry */
  static connectionsOf(url: string): Readonly<Record<string, number>> {
    return isPostgres(url) ? QUEUE_CONNECTIONS : {};
  }

  /**
   * Makes the way to the queues; on PostgreSQL their schema must be there: see `migrateQueues`. Waits for code only, and for
   * no server: BullMQ and its clients are loaded by who has queues.
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
   * Adds messages. Where a consumer of this process has free capacity they go straight to it: a hint that is lost with its
   * process comes again like one that a queue has lost.
   * @throws TypeError when a payload does not meet its class: a fault in the caller
   * @throws Error when the queue does not take them; some may have been added nevertheless
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
      // Those who add messages go on without the queue: nobody else would say why it takes none.
      this.onError(error as Error, name);
      throw error;
    });
  }

  /**
   * Starts one consumer for each of the named queues.
   * @throws Error when a handler is missing, or when a queue is consumed twice by this process
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

  /** @returns messages that wait or are being handled. */
  async countMessages(name: keyof C & string): Promise<number> {
    const counts = await this.askQueue(name, (queue) =>
      queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized'),
    );
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  }

  /** @returns messages that nobody has taken yet; those that a dead consumer holds are not among them. */
  async countWaiting(name: keyof C & string): Promise<number> {
    const counts = await this.askQueue(name, (queue) =>
      queue.getJobCounts('waiting', 'delayed', 'prioritized'),
    );
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  }

  /** @returns the message that has waited longest, or nearly so, without taking it; null when none waits */
  async peekMessage<N extends keyof C & string>(name: N): Promise<PayloadOf<C, N> | null> {
    for (let look = 0; look < LOOKS; look += 1) {
      const count = await this.askQueue(name, (queue) => queue.getWaitingCount());
      if (count === 0) break;
      // Both backends count from the newest. Several, and again, because consumers take the oldest meanwhile.
      const oldest = await this.askQueue(name, (queue) =>
        queue.getJobs(['waiting'], Math.max(0, count - OLDEST_READ), -1),
      );
      const [first] = oldest.sort((a, b) => Number(a.id) - Number(b.id));
      if (first) return parsePayload(this.definitionOf(name), name, first.data) as PayloadOf<C, N>;
    }
    return null;
  }

  /** Takes no more messages from the named queues, or from any; those in hand go on. The first step of a stop. */
  async pauseQueues(names?: ReadonlyArray<keyof C & string>): Promise<void> {
    await Promise.all(this.consumersOf(names).map((worker) => worker.pause(true)));
  }

  /** Takes messages again. */
  async resumeQueues(names?: ReadonlyArray<keyof C & string>): Promise<void> {
    await Promise.all(this.consumersOf(names).map((worker) => worker.resume()));
  }

  /** Takes no more messages, gives those in hand `graceMs` to end, then aborts them. */
  async close(graceMs = 0): Promise<void> {
    const timer = setTimeout(() => this.stopping.abort(new Error('The process is stopping.')), graceMs);
    await Promise.all(this.consumers.map(({ worker }) => worker.close()));
    await Promise.allSettled(this.consumers.flatMap(({ active }) => [...active]));
    clearTimeout(timer);
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
    await this.backend.close();
  }

  private consumersOf(names?: readonly string[]): Worker[] {
    return this.consumers.flatMap(({ name, worker }) => ((names?.includes(name) ?? true) ? [worker] : []));
  }

  /** One place is always the queue's, since BullMQ's consumers have one at least. */
  private findFreeConsumer(name: string, messages: number): Consumer | undefined {
    const consumer = this.consumers.find((each) => each.name === name);
    if (!consumer || consumer.worker.isPaused()) return undefined;
    const { active, concurrency, handedOver } = consumer;
    const free = Math.min(concurrency - active.size, concurrency - 1 - handedOver);
    return messages <= free ? consumer : undefined;
  }

  /** In no trace of who adds the message: what it is a hint of has its own. A handler that fails has said so, as with the queue. */
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
   * Whoever asks must find out that a queue does not answer, and go on without it. The time-out of a command is not
   * enough: a queue that is first asked while its server is away waits for a connection before it sends any.
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
      // Its connections outlive what first asks for it.
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
  // Unknown fields pass: a newer producer may send them to an older consumer during a rolling deploy.
  const faults = validateSync(payload);
  if (faults.length > 0)
    throw new TypeError(
      `The message on ${name} is not valid: ${faults.map((fault) => fault.property).join(', ')}`,
    );
  return payload;
}
