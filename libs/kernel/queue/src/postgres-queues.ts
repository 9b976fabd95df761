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
 * Connections of all queues and consumers of one process. BullMQ would open a pool for each of them, and one more
 * connection per consumer for notifications.
 */
class QueueConnections extends PostgresConnection {
  override readonly schema = NAMESPACE;
  private ended: Promise<void> | null = null;

  constructor(url: string, role: RoleName | undefined) {
    // Session settings, because only the session that runs LISTEN gets notifications. A message that a crash of PostgreSQL
    // loses is a hint that is sent again, so commits do not wait for the disk.
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
    // Every queue and every consumer registers listeners on the connections and on the one for notifications.
    this.setMaxListeners(0);
    pool.on('connect', (client) => client.setMaxListeners(0));
  }

  /** Creates BullMQ's PostgreSQL backend for one queue or consumer. */
  readonly backend: BackendFactory = (name, options) =>
    new PostgresQueueBackend(this, name, options as QueueBaseOptions<PostgresConnectionOptions>, true);

  /** Resolves immediately: the schema was checked before the process started, and BullMQ would cache even a failed check. */
  override async waitUntilReady(): Promise<void> {
    await Promise.resolve();
  }

  /** Does nothing: the connections are shared, so closing a queue or consumer must not close them. */
  override async close(): Promise<void> {
    await Promise.resolve();
  }

  /** Closes the connections after the last queue and consumer have closed. */
  end(): Promise<void> {
    this.ended ??= super.close().then(() => this.pool.end());
    return this.ended;
  }
}

/** @returns queues stored in PostgreSQL */
export function postgresBackend({ url, role }: { url: string; role?: RoleName }): QueueBackend {
  const connections = new QueueConnections(url, role);
  const { Queue: PgQueue, Worker: PgWorker } = withBackend(connections.backend);
  const connection = connections.pool;
  return {
    queue: (name) => new PgQueue(name, { connection }) as unknown as Queue,
    // One by one: BullMQ's bulk statement creates temporary tables, which the product's roles may not, and takes 5.5 ms where
    // a single message takes 3.6, on an idle machine.
    addMessages: (queue, name, payloads) =>
      Promise.all(payloads.map((data) => queue.add(name, data, KEEP_NOTHING))),
    worker: (name, definition, run) =>
      new PgWorker(name, processorOf(run), { connection, ...workerOptions(definition) }) as unknown as Worker,
    close: () => connections.end(),
  };
}
