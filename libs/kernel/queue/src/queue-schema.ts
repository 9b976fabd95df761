import pg from 'pg';
import { processIdOf, ensureRoles, ROLES, sqlState } from '@quarry/postgres';

/** Key prefix in Redis and schema in PostgreSQL, which identify the owner on a shared server. */
export const NAMESPACE = 'quarry_queue';
const CONNECT_MS = 5_000;
const INSUFFICIENT_PRIVILEGE = '42501';

/** The address of the queues belongs to a pooler; the message tells the operator what to do. */
export class PooledQueueError extends Error {
  override readonly name = 'PooledQueueError';

  constructor() {
    super(
      'Queues in PostgreSQL need LISTEN and NOTIFY, which do not work through a connection pooler. Set QUEUE_URL to the address of PostgreSQL itself, or of a Redis.',
    );
  }
}

/** @returns whether queues with this address are stored in PostgreSQL */
export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url);
}

/**
 * Creates or upgrades the schema of queues in PostgreSQL, and grants the roles access to it. Queues on Redis need no
 * schema. Safe to call from several processes at once.
 * @param url address of the queues; of PostgreSQL for its owner
 * @param names of the queues: each has a sequence, which BullMQ would otherwise create with its first message
 * @throws RolesMissingError; the driver's error
 */
export async function migrateQueues(url: string, names: readonly string[]): Promise<void> {
  if (!isPostgres(url)) return;
  const { runMigrations } = await import('bullmq');
  await withClient(url, async (client) => {
    await ensureRoles(client);
    await runMigrations(client, NAMESPACE);
    await client.query(`SELECT ${NAMESPACE}.next_job_id(name) FROM unnest($1::text[]) name`, [names]);
    const both = `${ROLES.serving}, ${ROLES.working}`;
    await client.query(
      `BEGIN;
       GRANT USAGE ON SCHEMA ${NAMESPACE} TO ${both};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${NAMESPACE} TO ${both};
       GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${NAMESPACE} TO ${both};
       GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${NAMESPACE} TO ${both};
       COMMIT`,
    );
  });
}

/**
 * Checks that notifications would arrive: the process id for cancel requests must be the server's own, not one that a
 * pooler made up.
 * @throws PooledQueueError; the driver's error
 */
export async function requireQueueSession(url: string): Promise<void> {
  if (isPostgres(url)) await withClient(url, requireOwnSession);
}

async function requireOwnSession(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  if (rows[0]!.pid !== processIdOf(client)) throw new PooledQueueError();
}

/**
 * Checks that the queues are usable: their schema exists, in this version or a compatible newer one.
 * @returns the missing part; null if nothing is missing
 * @throws PooledQueueError; the driver's error
 */
export async function missingQueueSchema(url: string): Promise<string | null> {
  if (!isPostgres(url)) return null;
  return (await withClient(url, isSchemaReady)) ? null : 'the schema of the queues';
}

async function isSchemaReady(client: pg.Client): Promise<boolean> {
  await requireOwnSession(client);
  const { assertSchemaCompatibility, LATEST_SCHEMA_VERSION } = await import('bullmq');
  const found = await client.query<{ is_there: boolean }>(
    'SELECT to_regnamespace($1) IS NOT NULL AS is_there',
    [NAMESPACE],
  );
  if (!found.rows[0]!.is_there) return false;
  return assertSchemaCompatibility(client, NAMESPACE).then(
    (version) => version >= LATEST_SCHEMA_VERSION,
    (error: unknown) => {
      // Created, but the roles have no access yet.
      if (sqlState(error) === INSUFFICIENT_PRIVILEGE) return false;
      throw error;
    },
  );
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
