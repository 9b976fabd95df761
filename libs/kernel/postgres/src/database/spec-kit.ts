import { openTestDatabase, type OpenedTestDatabase, type TestDatabaseOptions } from '@quarry/test-servers';
import { systemCtx, type Ctx } from '@quarry/app';
import { Database } from './database.js';
import { ROLES } from './roles.js';

// Other suites keep the machine busy beside a spec.
const CONNECT_MS = 60_000;

export type TestDatabase = OpenedTestDatabase<Database>;

/** A fresh clone of the migrated template, opened as this room opens it, for one spec file. */
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
