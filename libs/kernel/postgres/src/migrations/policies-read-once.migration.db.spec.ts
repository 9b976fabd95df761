import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../database/spec-kit.js';
import { ReadPolicySettingsOnce1763700000262 } from './1763700000262-policies-read-once.migration.js';

type Runner = Parameters<ReadPolicySettingsOnce1763700000262['up']>[0];
const PER_ROW = "(org_id = current_setting('app.org_id'::text, true))";

describe('the migration of the row-level security policies', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase({ as: 'owner' });
  });
  afterAll(async () => {
    await test.drop();
  });

  const migrate = (way: 'up' | 'down') =>
    test.database.withConnection((client) => {
      const query = async (sql: string): Promise<unknown> => (await client.query(sql)).rows;
      return new ReadPolicySettingsOnce1763700000262()[way]({ query } as unknown as Runner);
    });
  const policies = async (): Promise<{ all: number; perRow: string[] }> => {
    const { rows } = await test.database.withConnection((client) =>
      client.query<{ qual: string }>("SELECT qual FROM pg_policies WHERE qual ~ 'app\\.org_id'"),
    );
    const perRow = rows.map(({ qual }) => qual).filter((qual) => !qual.includes('SELECT current_setting'));
    return { all: rows.length, perRow };
  };

  it('leaves none that calls a function for every row, and can be reverted', async () => {
    expect((await policies()).perRow).toEqual([]);
    await migrate('down');
    const { all, perRow } = await policies();
    expect(perRow).toHaveLength(all);
    expect(perRow).toContain(PER_ROW);
    await migrate('up');
    expect(await policies()).toEqual({ all, perRow: [] });
  });
});
