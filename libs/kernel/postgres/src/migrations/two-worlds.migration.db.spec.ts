import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../database/spec-kit.js';
import type { Database } from '../database/database.js';
import { SeparateTwoWorlds1763700000016 } from './1763700000016-two-worlds.migration.js';
import { MIGRATIONS } from './index.js';

type Runner = Parameters<SeparateTwoWorlds1763700000016['up']>[0];

describe('the migration into live and test mode', () => {
  let test: TestDatabase;
  let old: Database;

  const run = async (migrations: typeof MIGRATIONS): Promise<void> => {
    await old.withConnection(async (client) => {
      const runner = {
        query: async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows,
      } as unknown as Runner;
      for (const Migration of migrations) await new Migration().up(runner);
    });
  };
  const at = MIGRATIONS.indexOf(SeparateTwoWorlds1763700000016);

  beforeAll(async () => {
    test = await createTestDatabase({ as: 'owner', isEmpty: true });
    old = test.database;
    await run(MIGRATIONS.slice(0, at));
  });
  afterAll(async () => {
    await test.drop();
  });

  it('moves to test mode what only test keys used, and everything else to live mode', async () => {
    const started = (id: string, mode: string, workspace: string) => `
      INSERT INTO runs.conversations (id, org_id, workspace_id) VALUES ('conv_${id}', 'org', '${workspace}');
      INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, body_hash)
        VALUES ('${id}', 'org', '${mode}', '${workspace}', 'conv_${id}', 'x', 'queued', 'x');`;
    await old.withConnection((client) =>
      client.query(`
      INSERT INTO tables.workspaces (org_id, id, name)
        SELECT 'org', unnest, 'x' FROM unnest(ARRAY['empty', 'live', 'play', 'both']);
      INSERT INTO tables.tables (org_id, id, workspace_id, name, columns)
        SELECT 'org', 't_' || w.id, w.id, 'x', '[]' FROM tables.workspaces w;
      INSERT INTO tables.exclusions (org_id, kind, entry_key, domain) VALUES ('org', 'companies', 'a.com', 'a.com');
      ${started('r1', 'live', 'live')} ${started('r2', 'test', 'play')} ${started('r3', 'live', 'both')} ${started('r4', 'test', 'both')}`),
    );
    await run(MIGRATIONS.slice(at));
    const modes = async (sql: string) =>
      Object.fromEntries(
        (await old.withConnection((client) => client.query<{ id: string; mode: string }>(sql))).rows.map(
          ({ id, mode }) => [id, mode],
        ),
      ) as Record<string, string>;
    expect(await modes('SELECT id, mode FROM tables.workspaces')).toEqual({
      empty: 'live',
      live: 'live',
      both: 'live',
      play: 'test',
    });
    expect(await modes('SELECT workspace_id AS id, mode FROM tables.tables')).toEqual({
      empty: 'live',
      live: 'live',
      both: 'live',
      play: 'test',
    });
    expect(await modes('SELECT id, mode FROM runs.conversations')).toEqual({
      conv_r1: 'live',
      conv_r2: 'test',
      conv_r3: 'live',
      conv_r4: 'live',
    });
    expect(await modes('SELECT entry_key AS id, mode FROM tables.exclusions')).toEqual({ 'a.com': 'live' });
  });
});
