import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { newId } from '@quarry/app';
import { AuditLog } from '@quarry/postgres';
import { createTestDatabase, testCtx, type TestDatabase, openWorkspace } from '@quarry/testing';
import { TABLE_FILE_COMMANDS } from './table-file.commands.js';

describe('the table commands, in the audit log', () => {
  let test: TestDatabase;
  let dir: string;
  let orgId: string;
  let workspaceId: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    dir = mkdtempSync(join(tmpdir(), 'quarry-tables-'));
    orgId = (await createOrganisation(test.database, { name: 'Audited', credits: 0 })).orgId;
    workspaceId = await openWorkspace(test.database, testCtx(orgId, { mode: 'test' }));
  });
  afterAll(async () => {
    rmSync(dir, { recursive: true, force: true });
    await test.drop();
  });

  const run = (name: string, options: Record<string, string>) =>
    TABLE_FILE_COMMANDS[name]!.run(test.database, { mode: 'test', ...options }, {});
  const log = (limit: number) => new AuditLog(test.database).listEntries(testCtx(orgId), limit);

  it('record that an operator exported a table: which one and its size, and none of its content', async () => {
    const file = join(dir, 'people.csv');
    writeFileSync(file, 'email\nann@acme.example\nbob@acme.example\n');
    const table = String((await run('table:import', { workspace: workspaceId, file })).id);
    await run('table:export', { table, file: join(dir, 'out.json'), format: 'json' });
    const [event] = await log(1);
    expect(event).toMatchObject({
      action: 'table.read_by_operator',
      object: table,
      actor: { kind: 'operator', id: null },
      mode: 'test',
      facts: { rows: 2, format: 'json' },
    });
    expect(JSON.stringify(event)).not.toMatch(/acme|people/);
  });

  it('record nothing for a table that does not exist', async () => {
    const before = await log(100);
    const refused = run('table:export', { table: newId('tbl'), file: join(dir, 'never.csv') });
    await expect(refused).rejects.toThrow();
    expect(await log(100)).toEqual(before);
  });
});
