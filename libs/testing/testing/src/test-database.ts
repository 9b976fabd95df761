import { newId, systemCtx, type Ctx } from '@quarry/app';
import { Database, ROLES } from '@quarry/postgres';
import {
  openTestDatabase,
  waitFor,
  type OpenedTestDatabase,
  type TestDatabaseOptions,
} from '@quarry/test-servers';

// Generous, because other suites run on the same machine.
const CONNECT_MS = 60_000;

export type TestDatabase = OpenedTestDatabase<Database>;

/** Creates a clone of the migrated template for one spec file, opened like in production. */
export function createTestDatabase(options?: TestDatabaseOptions): Promise<TestDatabase> {
  return openTestDatabase(
    { roles: ROLES, open: (how) => Database.open({ ...how, connectMs: CONNECT_MS }) },
    options,
  );
}

/** Drops the database. After a kill the server notices only later that sessions have lost their client. */
export async function dropWhenLeft(test: TestDatabase): Promise<void> {
  await waitFor('sessions of the processes to end', async () => {
    const left = await test.database.queryOne<{ others: string }>(
      systemCtx('spec'),
      `SELECT count(*)::text AS others FROM pg_stat_activity
        WHERE datname = current_database() AND application_name NOT LIKE 'spec%' AND backend_type = 'client backend'`,
    );
    return left?.others === '0';
  });
  await test.drop();
}

/** Creates a context of an organisation, like that of a request with a live key. */
export function testCtx(orgId: string, overrides: Partial<Ctx> = {}): Ctx {
  return { ...systemCtx('req_test', orgId), ...overrides };
}

/** Creates a workspace without the tables library. @returns its id */
export async function openWorkspace(database: Database, at: Ctx): Promise<string> {
  const id = newId('ws');
  const sql = 'INSERT INTO tables.workspaces (org_id, mode, id, name) VALUES ($1, $2, $3, $4)';
  await database.query(at, sql, [at.orgId, at.mode, id, 'Spec']);
  return id;
}
