import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, declaredStatements, sqlState } from '@quarry/postgres';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
// Loads the libraries, which declares their statements.
import './ports.module.js';

/** Libraries whose calls are answered by processes with the role `quarry_serving`, as on Kubernetes. */
const ANSWERED = ['tables', 'runs', 'monitors', 'enrichments'];
/** Statements that only workers, agents and the admin command execute. */
const OF_WORKERS = /^(erase-from-[a-z]+|[a-z]+-retention)\./;
const PERMISSION_DENIED = '42501';

describe('the role that answers calls', () => {
  let test: TestDatabase;
  let serving: Database;
  beforeAll(async () => {
    test = await createTestDatabase();
    serving = await Database.open({ url: test.servingUrl, applicationName: 'spec', connectMs: 60_000 });
  });
  afterAll(async () => {
    await serving.close();
    await test.drop();
  });

  it.each(ANSWERED)('may execute every statement of %s that is no work of others', async (library) => {
    const path = join(import.meta.dirname, '..', '..', library, 'src/statements.types.ts');
    const names = [...readFileSync(path, 'utf8').matchAll(/^ {2}'([^']+)': /gm)].map(([, name]) => name!);
    const statements = declaredStatements().filter(({ name }) => names.includes(name));
    expect(statements.map(({ name }) => name).sort()).toEqual(names.sort());
    const denied: string[] = [];
    await serving.withConnection(async (client) => {
      for (const { name, text } of statements)
        await client.query(`EXPLAIN (GENERIC_PLAN) ${text}`).catch((error: unknown) => {
          if (sqlState(error) === PERMISSION_DENIED) denied.push(name);
        });
    });
    expect(denied.filter((name) => !OF_WORKERS.test(name))).toEqual([]);
  });
});
