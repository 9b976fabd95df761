import { openTestDatabase, type OpenedTestDatabase } from '@quarry/test-servers';
import { Database, ROLES } from '@quarry/postgres';

// Generous, because other suites run on the same machine.
const CONNECT_MS = 60_000;

export type TestDatabase = OpenedTestDatabase<Database>;

/** Creates a clone of the migrated template for one spec file. */
export function createTestDatabase(): Promise<TestDatabase> {
  return openTestDatabase({ roles: ROLES, open: (how) => Database.open({ ...how, connectMs: CONNECT_MS }) });
}
