import {
  PostgresConnection,
  PostgresQueueBackend,
  withBackend,
  type BackendFactory,
  type PostgresConnectionOptions,
  type Queue,
  type QueueBaseOptions,
  type Worker,
} from 'bullmq';
import pg from 'pg';
import { TimeoutClient, type RoleName } from '@quarry/postgres';
import {
  KEEP_NOTHING,
  processorOf,
  QUEUE_CONNECTIONS,
  workerOptions,
  type QueueBackend,
} from './queue-backend.js';
import { NAMESPACE } from './queue-schema.js';

const CONNECT_MS = 5_000;

/**
 * The connections of all queues and consumers of one process. BullMQ would open a pool for each of them, and one more
 * connection for each consumer to listen on.
 */
class QueueConnections extends PostgresConnection {
  override readonly schema = NAMESPACE;
  private ended: Promise<void> | null = null;

  constructor(url: string, role: RoleName | undefined) {
    // A session: notifications come to the one that has asked for them. A message that a crash of PostgreSQL loses is a
    // hint that comes again, so nobody waits for the disk.
    const settings = [
      `search_path=${NAMESPACE}`,
      'synchronous_commit=off',
      ...(role ? [`role=${role}`] : []),
    ];
    const pool = new pg.Pool({
      connectionString: url,
      max: QUEUE_CONNECTIONS.queues + QUEUE_CONNECTIONS.notifications,
      options: settings.map((each) => `-c ${each}`).join(' '),
      application_name: 'queues',
      Client: TimeoutClient,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
    super(pool);
    // Every queue and every consumer listens to the connections, and for the notifications of one of them.
    this.setMaxListeners(0);
    pool.on('connect', (client) => client.setMaxListeners(0));
  }

  /** Makes the part of BullMQ that talks to PostgreSQL, for one queue or consumer. */
  readonly backend: BackendFactory = (name, options) =>
    new PostgresQueueBackend(this, name, options as QueueBaseOptions<PostgresConnectionOptions>, true);

  /** At once: the schema was looked at before the process began, and an answer would be kept also when it was no answer. */
  override async waitUntilReady(): Promise<void> {
    await Promise.resolve();
  }

  /** Does nothing: a queue or consumer that closes leaves the connections to the others. */
  override async close(): Promise<void> {
    await Promise.resolve();
  }

  /** Closes them, when the last queue and consumer have closed. */
  end(): Promise<void> {
    this.ended ??= super.close().then(() => this.pool.end());
    return this.ended;
  }
}

/** @returns queues that live in PostgreSQL */
export function postgresBackend({ url, role }: { url: string; role?: RoleName }): QueueBackend {
  const connections = new QueueConnections(url, role);
  const { Queue: PgQueue, Worker: PgWorker } = withBackend(connections.backend);
  const connection = connections.pool;
  return {
    queue: (name) => new PgQueue(name, { connection }) as unknown as Queue,
    // One by one: BullMQ's statement for many makes temporary tables, which the product's roles may not, and takes 5.5 ms
    // where a message by itself takes 3.6, on an idle machine.
    addMessages: (queue, name, payloads) =>
      Promise.all(payloads.map((data) => queue.add(name, data, KEEP_NOTHING))),
    worker: (name, definition, run) =>
      new PgWorker(name, processorOf(run), { connection, ...workerOptions(definition) }) as unknown as Worker,
    close: () => connections.end(),
  };
}
