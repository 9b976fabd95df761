// Plain BullMQ on either backend, with as many connections as the product uses.
import { createPostgresBackend, Queue, runMigrations, withBackend, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';

const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true };
const LOCK_MS = 60_000;

/**
 * @param {string} url `redis://…` or `postgres://…`
 * @returns {Promise<{ add(data: object): Promise<unknown>, addBulk(list: object[]): Promise<unknown>, work(run: (data: any) => Promise<void>, concurrency: number): { close(): Promise<void> } }>}
 */
export async function openBareQueue(url, name) {
  const { queue, makeWorker } = url.startsWith('redis') ? onRedis(url, name) : await onPostgres(url, name);
  return {
    add: (data) => queue.add(name, data, KEEP_NOTHING),
    addBulk: (list) => queue.addBulk(list.map((data) => ({ name, data, opts: KEEP_NOTHING }))),
    work: (run, concurrency) => makeWorker((job) => run(job.data), { concurrency, lockDuration: LOCK_MS }),
  };
}

function onRedis(url, name) {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  return {
    queue: new Queue(name, { connection }),
    makeWorker: (run, options) => new Worker(name, run, { connection, ...options }),
  };
}

async function onPostgres(url, name) {
  const schema = 'bare_queue';
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await runMigrations(client, schema);
  await client.end();
  const { Queue: PgQueue, Worker: PgWorker } = withBackend(createPostgresBackend);
  const connection = { connectionString: url, schema, skipMigrations: true, max: 4 };
  return {
    queue: new PgQueue(name, { connection }),
    makeWorker: (run, options) => new PgWorker(name, run, { connection, ...options }),
  };
}
