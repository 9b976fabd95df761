import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '@quarry/app';
import type { DatabaseOptions } from '../database/connection-settings.js';
import { Database, isDatabaseUnavailable } from '../database/database.js';
import { schemaStateOf, type SchemaState } from './migrate.js';

/** The schema stayed behind this version; the message tells the operator what to do. */
export class SchemaBehindError extends Error {
  override readonly name = 'SchemaBehindError';
}

/** The server was away for too long; the message tells the operator where it was looked for. */
class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';
}

/** A rollout starts the processes beside the migration; one that takes longer is worth a person's look. */
const READY_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 500;
const CONNECT_MS = 5_000;

/**
 * Opens a database whose schema another process brings up to date: nothing here needs the right to change it. It waits until PostgreSQL
 * answers, since where everything starts at once that is not the first to be there, and then for its schema.
 * @param options.readSchema reads how the migrations stand, and may refuse the database
 * @param options.missingElsewhere names what must be there besides, and is not: the schema of queues, say
 * @throws DatabaseAwayError when the server has not answered after a minute; the driver's error when it refuses this client; SchemaBehindError
 *   when the schema is not up to date after a further minute
 */
export async function openReadyDatabase(
  options: DatabaseOptions & {
    readSchema?: (client: pg.Client) => Promise<SchemaState>;
    missingElsewhere?: () => Promise<string | null>;
    logger: Logger;
    timeoutMs?: number;
  },
): Promise<Database> {
  const {
    readSchema = schemaStateOf,
    missingElsewhere = () => Promise.resolve(null),
    logger,
    timeoutMs = READY_TIMEOUT_MS,
    ...database
  } = options;
  const look = (): Promise<SchemaState> => readWhenThere(database.url, readSchema, { logger, timeoutMs });
  let { pending } = await look();
  const deadline = performance.now() + timeoutMs;
  for (let isLogged = false; ; isLogged = true) {
    // A server that starts late, or again, is waited for like the rest: the database of the queues may be another one.
    const missing =
      pending[0] ??
      (await missingElsewhere().catch((error: unknown) => {
        if (isDatabaseUnavailable(error) && performance.now() <= deadline) return 'an answer of the database';
        throw error;
      }));
    if (missing === null) return Database.open(database);
    if (performance.now() > deadline) {
      throw new SchemaBehindError(
        `The database is not up to date for this version (${missing} is missing): run "npm run migrate".`,
      );
    }
    if (!isLogged) logger.warn({ missing }, 'waiting for the database to be migrated');
    await delay(LOOK_EVERY_MS);
    ({ pending } = await look());
  }
}

/** Reads something by a connection of its own, as soon as the server answers: a process opens few of them at its start, since each takes 8 ms of CPU. */
async function readWhenThere<T>(
  url: string,
  read: (client: pg.Client) => Promise<T>,
  { logger, timeoutMs }: { logger: Logger; timeoutMs: number },
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let isLogged = false; ; isLogged = true) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await read(client).finally(() => client.end().catch(() => undefined));
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      const { message } = error as Error;
      if (performance.now() > deadline)
        throw new DatabaseAwayError(
          `PostgreSQL at ${client.host}:${client.port} does not answer (${message}): check DATABASE_URL, and that the server runs.`,
          { cause: error },
        );
      if (!isLogged) logger.warn({ why: message }, 'waiting for the database to answer');
    }
    await delay(LOOK_EVERY_MS);
  }
}
