import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * One PostgreSQL for all database and end-to-end specs of this run, with one migrated database that every spec
 * file clones. Runs outside Jest's transform, so it uses the built packages.
 */
export default async function setup() {
  if (process.env.QUARRY_TEST_POSTGRES_URL) return;
  const { startMigratedPostgres } = await import('../dist/migrated-postgres.js');
  const server = await startMigratedPostgres(mkdtempSync(join(tmpdir(), 'quarry-test-')));
  globalThis.__quarryTestPostgres = server;
  process.env.QUARRY_TEST_POSTGRES_URL = server.adminUrl;
}
