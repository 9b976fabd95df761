import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { isQueueSchemaReady } from '../queue/queue-schema.js';
import type { Logger } from '../telemetry/logger.js';
import type { DatabaseOptions } from './connection-settings.js';
import { Database } from './database.js';
import { schemaStateOf } from './migrate.js';

/** The schema stayed behind this version; the message tells the operator what to do. */
export class SchemaBehindError extends Error {
  override readonly name = 'SchemaBehindError';
}

/** A rollout starts the processes beside the migration; one that takes longer is worth a person's look. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 500;
const CONNECT_MS = 5_000;

/**
 * Opens a database whose schema another process brings up to date: nothing here needs the right to change it.
 * @param options.queueUrl where the queues live, when they are worked with
 * @throws SchemaBehindError when it is not up to date after a minute; the driver's error when it cannot be reached
 */
export async function openReadyDatabase(
  options: DatabaseOptions & { queueUrl?: string; logger: Logger; patienceMs?: number },
): Promise<Database> {
  const { queueUrl, logger, patienceMs = PATIENCE_MS, ...database } = options;
  const deadline = performance.now() + patienceMs;
  for (let isTold = false; ; isTold = true) {
    const missing = await missingIn(database.url, queueUrl);
    if (missing === null) return Database.open(database);
    if (performance.now() > deadline) {
      throw new SchemaBehindError(
        `The database is not up to date for this version (${missing} is missing): run "npm run migrate".`,
      );
    }
    if (!isTold) logger.warn({ missing }, 'waiting for the database to be migrated');
    await delay(LOOK_EVERY_MS);
  }
}

/** @returns what is missing first; null when the database can be worked with */
async function missingIn(url: string, queueUrl: string | undefined): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { pending } = await schemaStateOf(client);
    if (pending.length > 0) return pending[0]!;
  } finally {
    await client.end();
  }
  const isReady = queueUrl === undefined || (await isQueueSchemaReady(queueUrl));
  return isReady ? null : 'the schema of the queues';
}
