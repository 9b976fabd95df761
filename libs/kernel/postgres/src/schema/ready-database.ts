import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '@quarry/app';
import type { DatabaseOptions } from '../database/connection-settings.js';
import { Database, isDatabaseUnavailable } from '../database/database.js';
import { schemaStateOf } from './migrate.js';

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
 * Waits until PostgreSQL answers: where everything starts at once, it is not the first to be there.
 * @throws DatabaseAwayError when it has not answered after a minute; the driver's error when it refuses this client
 */
export async function awaitDatabase(
  url: string,
  { logger, timeoutMs = READY_TIMEOUT_MS }: { logger: Logger; timeoutMs?: number },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (let isLogged = false; ; isLogged = true) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.end();
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

/**
 * Opens a database whose schema another process brings up to date: nothing here needs the right to change it.
 * @param options.missingElsewhere names what must be there besides, and is not: the schema of queues, say
 * @throws SchemaBehindError when it is not up to date after a minute; as {@link awaitDatabase} when it cannot be reached
 */
export async function openReadyDatabase(
  options: DatabaseOptions & {
    missingElsewhere?: () => Promise<string | null>;
    logger: Logger;
    timeoutMs?: number;
  },
): Promise<Database> {
  const { missingElsewhere, logger, timeoutMs = READY_TIMEOUT_MS, ...database } = options;
  await awaitDatabase(database.url, { logger, timeoutMs });
  const deadline = performance.now() + timeoutMs;
  for (let isLogged = false; ; isLogged = true) {
    // A server that starts late, or again, is waited for like the rest: the database of the queues may be another one.
    const missing = await missingIn(database.url, missingElsewhere).catch((error: unknown) => {
      if (isDatabaseUnavailable(error) && performance.now() <= deadline) return 'an answer of the database';
      throw error;
    });
    if (missing === null) return Database.open(database);
    if (performance.now() > deadline) {
      throw new SchemaBehindError(
        `The database is not up to date for this version (${missing} is missing): run "npm run migrate".`,
      );
    }
    if (!isLogged) logger.warn({ missing }, 'waiting for the database to be migrated');
    await delay(LOOK_EVERY_MS);
  }
}

/** @returns what is missing first; null when the database can be worked with */
async function missingIn(
  url: string,
  elsewhere: () => Promise<string | null> = () => Promise.resolve(null),
): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { pending } = await schemaStateOf(client);
    if (pending.length > 0) return pending[0]!;
  } finally {
    await client.end();
  }
  return elsewhere();
}
