import { afterAll, beforeAll } from '@jest/globals';
import { newId, systemCtx, type Ctx } from '@quarry/app';
import { Database, ROLES, type TxCtx } from '@quarry/postgres';
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

/**
 * Creates a database before the tests of a file or of a `describe`, and drops it after them. What uses it may be opened in a
 * `beforeAll` that follows, but has to be closed earlier than in an `afterAll`.
 * @returns the database; its properties exist from then on
 */
export function useTestDatabase(options?: TestDatabaseOptions): TestDatabase {
  const test = {} as TestDatabase;
  beforeAll(async () => void Object.assign(test, await createTestDatabase(options)));
  afterAll(() => test.drop());
  return test;
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

/** @returns the number of sessions that wait for a lock of another one */
export async function countWaiting(database: Database): Promise<number> {
  const sql =
    'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0';
  return (await database.query(systemCtx('spec'), sql)).length;
}

/**
 * Makes work wait for an open transaction, which then commits.
 * @param first takes the locks of the transaction
 * @param later needs them, in as many sessions as `waiters` says
 * @param meanwhile runs in the transaction while the others wait
 * @returns the result of `later`
 */
export async function runBehind<Result>(
  database: Database,
  ctx: Ctx,
  first: (tx: TxCtx) => Promise<unknown>,
  later: () => Promise<Result>,
  { waiters = 1, meanwhile }: { waiters?: number; meanwhile?: (tx: TxCtx) => Promise<unknown> } = {},
): Promise<Result> {
  const begun = await database.transaction(ctx, async (tx) => {
    await first(tx);
    // In an object, because the transaction would wait for a promise that it returns.
    const pending = { result: later() };
    pending.result.catch(() => undefined);
    await waitFor('a lock to be waited for', async () => (await countWaiting(database)) === waiters);
    await meanwhile?.(tx);
    return pending;
  });
  return begun.result;
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
