import { Database, systemCtx, type Ctx } from '@quarry/platform';
import { onAdmin, TEMPLATE_DATABASE } from './test-postgres.js';

export interface TestDatabase {
  url: string;
  database: Database;
  /** Closes it and drops it. @throws when a connection to it was left open: a leak in the code under test */
  drop(): Promise<void>;
}

/** A fresh clone of the migrated template, for one spec file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = process.env.QUARRY_TEST_POSTGRES_URL;
  if (!adminUrl)
    throw new Error(
      'QUARRY_TEST_POSTGRES_URL is not set: run database specs through "npm test" or Jest\'s db project.',
    );
  const name = `quarry_test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  await onAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE} STRATEGY FILE_COPY`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const database = await Database.open({ url: url.href, applicationName: 'spec' });
  return {
    url: url.href,
    database,
    drop: async () => {
      await database.close();
      await onAdmin(adminUrl, `DROP DATABASE ${name}`);
    },
  };
}

/** A context of some organisation, as a request with a live key has it. */
export function testCtx(orgId: string, overrides: Partial<Ctx> = {}): Ctx {
  return { ...systemCtx('req_test', orgId), ...overrides };
}

/** Polls until `check` gives a value; the only way a spec may wait. @throws after `timeoutMs` */
export async function waitFor<T>(
  what: string,
  check: () => Promise<T | null | undefined | false>,
  timeoutMs = 15_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`Timed out after ${timeoutMs} ms waiting for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
