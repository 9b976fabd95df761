import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { PostgresServer } from '@quarry/local-postgres';

/** Name of the migrated database that specs clone. */
export const TEMPLATE_DATABASE = 'quarry_template';
/** Owner of the databases of specs, who is not a superuser. */
export const OWNER = 'quarry_owner';

export interface TestPostgres {
  adminUrl: string;
  stop(): Promise<void>;
}

/** Schema of the product's database, which this library does not define. */
export interface TestSchema {
  /** Statements that create each role, by its name. */
  roles: Readonly<Record<string, string>>;
  /** Role of which the owner is a member. */
  working: string;
  /** Creates the schema in a database, as its owner. */
  migrate(url: string): Promise<unknown>;
}

/**
 * Starts a temporary PostgreSQL and creates the migrated template database. Its roles log in with the superuser's password.
 * @param dir empty folder; removed at stop
 */
export async function startTestPostgres(dir: string, schema: TestSchema): Promise<TestPostgres> {
  // Nothing here has to survive a crash, so fsync is off.
  const server = await PostgresServer.start({
    dir: join(dir, 'postgres'),
    settings: [
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
      'max_connections=300',
      'shared_buffers=256MB',
    ],
  });
  const adminUrl = server.url('postgres');
  const { password } = new URL(adminUrl);
  for (const [role, sql] of Object.entries({ ...schema.roles, [OWNER]: `CREATE ROLE ${OWNER}` }))
    await onAdmin(adminUrl, `${sql}; ALTER ROLE ${role} LOGIN PASSWORD '${password}'`);
  await onAdmin(adminUrl, `GRANT ${schema.working} TO ${OWNER} WITH INHERIT TRUE, SET TRUE`);
  // Specs observe connections and lock waits.
  await onAdmin(adminUrl, `GRANT pg_read_all_stats TO ${schema.working}`);
  await onAdmin(adminUrl, `GRANT SET ON PARAMETER deadlock_timeout TO ${schema.working}`);
  await onAdmin(adminUrl, `CREATE DATABASE ${TEMPLATE_DATABASE} OWNER ${OWNER}`);
  await schema.migrate(urlFor(adminUrl, TEMPLATE_DATABASE, OWNER));
  return {
    adminUrl,
    stop: async () => {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** @returns the URL of a database of the test server for one of its roles */
export function urlFor(adminUrl: string, database: string, role: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  url.username = role;
  return url.href;
}

/** Runs one statement on the administration database. */
export async function onAdmin(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
