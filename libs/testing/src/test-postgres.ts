import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { Database, PostgresServer } from '@quarry/platform';

/** Name of the migrated database that specs clone. */
export const TEMPLATE_DATABASE = 'quarry_template';

export interface TestPostgres {
  adminUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts a throw-away PostgreSQL and makes the migrated template database.
 * @param dir empty folder; removed at stop
 */
export async function startTestPostgres(dir: string): Promise<TestPostgres> {
  // Nothing here must survive a crash of the machine, so the disk is not waited for.
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
  await onAdmin(server.url('postgres'), `CREATE DATABASE ${TEMPLATE_DATABASE}`);
  const database = await Database.open({
    url: server.url(TEMPLATE_DATABASE),
    applicationName: 'migrate',
    poolSize: 2,
    readers: 1,
  });
  await database.migrate();
  await database.close();
  return {
    adminUrl: server.url('postgres'),
    stop: async () => {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
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
