import { newId, systemCtx, type Ctx } from '@quarry/app';
import { Database, ROLES } from '@quarry/postgres';
import { openTestDatabase, type OpenedTestDatabase, type TestDatabaseOptions } from '@quarry/test-servers';

// Other suites keep the machine busy beside a spec.
const CONNECT_MS = 60_000;

export type TestDatabase = OpenedTestDatabase<Database>;

/** A fresh clone of the migrated template, opened as the product opens it, for one spec file. */
export function createTestDatabase(options?: TestDatabaseOptions): Promise<TestDatabase> {
  return openTestDatabase(
    { roles: ROLES, open: (how) => Database.open({ ...how, connectMs: CONNECT_MS }) },
    options,
  );
}

/** A context of some organisation, as a request with a live key has it. */
export function testCtx(orgId: string, overrides: Partial<Ctx> = {}): Ctx {
  return { ...systemCtx('req_test', orgId), ...overrides };
}

/** Makes a workspace where no tables library is there to make it. @returns its id */
export async function openWorkspace(database: Database, at: Ctx): Promise<string> {
  const id = newId('ws');
  const sql = 'INSERT INTO tables.workspaces (org_id, mode, id, name) VALUES ($1, $2, $3, $4)';
  await database.query(at, sql, [at.orgId, at.mode, id, 'Spec']);
  return id;
}
