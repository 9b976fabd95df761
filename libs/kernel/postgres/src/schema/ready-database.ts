import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '@quarry/app';
import type { DatabaseOptions } from '../database/connection-settings.js';
import { Database, isDatabaseUnavailable } from '../database/database.js';
import { requireRole, type RoleName } from '../database/roles.js';
import { schemaStateOf, type SchemaState } from './migrate.js';

/** The schema is older than this version; the message tells the operator what to do. */
export class SchemaBehindError extends Error {
  override readonly name = 'SchemaBehindError';
}

/** The server was unavailable for too long; the message tells the operator its address. */
class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError';
}

/** Time limit for each wait. A rollout starts the processes along with the migration; a longer one needs attention. */
const READY_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 500;
const CONNECT_MS = 5_000;

/**
 * Opens a database that another process migrates; it needs no right to change the schema. It waits until PostgreSQL
 * responds, because in a fresh deployment PostgreSQL is not the first to be ready, and then for the schema.
 * @param options.readSchema reads the state of the migrations, and may reject the database
 * @param options.needs role whose rights the user of the address must have
 * @param options.missingElsewhere returns another missing prerequisite, such as the schema of queues, or null
 * @throws DatabaseAwayError if the server has not responded after a minute; the driver's error if it rejects this client;
 *   SchemaBehindError if the schema is not up to date after a further minute; WrongRoleError
 */
export async function openReadyDatabase(
  options: DatabaseOptions & {
    readSchema?: (client: pg.Client) => Promise<SchemaState>;
    missingElsewhere?: () => Promise<string | null>;
    needs?: RoleName;
    logger: Logger;
    timeoutMs?: number;
  },
): Promise<Database> {
  const {
    readSchema = schemaStateOf,
    missingElsewhere = () => Promise.resolve(null),
    needs,
    logger,
    timeoutMs = READY_TIMEOUT_MS,
    ...database
  } = options;
  const look = (): Promise<SchemaState> => readWhenThere(database.url, readSchema, { logger, timeoutMs });
  const checkRole = async (): Promise<void> => {
    if (needs)
      await readWhenThere(database.url, (client) => requireRole(client, needs), { logger, timeoutMs });
  };
  let { pending } = await look();
  const deadline = performance.now() + timeoutMs;
  for (let isLogged = false; ; isLogged = true) {
    // Also waits for a late or restarted server: the database of the queues may be a different one.
    const missing =
      pending[0] ??
      (await missingElsewhere().catch((error: unknown) => {
        if (isDatabaseUnavailable(error) && performance.now() <= deadline) return 'an answer of the database';
        throw error;
      }));
    if (missing === null) break;
    if (performance.now() > deadline) {
      // A user without any rights does not see which migrations have run.
      await checkRole();
      throw new SchemaBehindError(
        `The database is not up to date for this version (${missing} is missing): run "npm run migrate".`,
      );
    }
    if (!isLogged) logger.warn({ missing }, 'waiting for the database to be migrated');
    await delay(LOOK_EVERY_MS);
    ({ pending } = await look());
  }
  await checkRole();
  return Database.open(database);
}

/** Reads with a connection of its own once the server responds. Connections cost 8 ms of CPU each, so few are opened. */
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
