import { openTestDatabase, type OpenedTestDatabase } from '@quarry/test-servers';
import { Database, ROLES } from '@quarry/postgres';

// Other suites keep the machine busy beside a spec.
const CONNECT_MS = 60_000;

export type TestDatabase = OpenedTestDatabase<Database>;

/** A fresh clone of the migrated template, for one spec file. */
export function createTestDatabase(): Promise<TestDatabase> {
  return openTestDatabase({
    roles: ROLES,
    open: (how) => Database.open({ ...how, connectMs: CONNECT_MS }),
  });
}
