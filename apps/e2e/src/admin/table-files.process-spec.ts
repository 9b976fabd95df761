import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganisation } from '@quarry/composition';
import { newId, systemCtx } from '@quarry/app';
import { CONSTITUENTS_FILE } from '@quarry/prompt-fixtures';
import { createTestDatabase, runAdmin, type TestDatabase, openWorkspace } from '@quarry/testing';
import { parse } from 'csv-parse/sync';

const SLOW_MS = 180_000;

interface Ran {
  code: number | null;
  answer: { id: string; row_count: number; columns: Array<{ key: string; kind: string }> };
  stderr: string;
}

describe('tables from and into files on the command line', () => {
  let test: TestDatabase;
  let dir: string;
  let workspaceId: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    dir = mkdtempSync(join(tmpdir(), 'quarry-admin-'));
    const { orgId } = await createOrganisation(test.database, { name: 'Files', credits: 0 });
    workspaceId = await openWorkspace(test.database, systemCtx('spec', orgId));
  });
  afterAll(async () => {
    rmSync(dir, { recursive: true, force: true });
    await test.drop();
  });

  async function admin(...args: string[]): Promise<Ran> {
    const ran = await runAdmin({ DATABASE_URL: test.url, DATA_DIR: dir }, args);
    return { ...ran, answer: (ran.stdout === '' ? null : JSON.parse(ran.stdout)) as Ran['answer'] };
  }

  const imported = (file: string) => admin('table:import', '--workspace', workspaceId, '--file', file);
  const exported = (table: string, file: string, ...more: string[]) =>
    admin('table:export', '--table', table, '--file', file, ...more);
  const records = async (file: string) => parse(await readFile(file), { bom: true }) as string[][];

  it(
    'imports and exports the constituents, equal value by value',
    async () => {
      const file = join(dir, 'constituents.csv');
      await copyFile(CONSTITUENTS_FILE, file);
      const { code, answer, stderr } = await imported(file);
      const sent = await records(file);
      expect([code, answer.row_count]).toEqual([0, sent.length - 1]);
      expect(answer.columns.map(({ key, kind }) => [key, kind])).toEqual([
        ['Symbol', 'text'],
        ['Security', 'text'],
        ['GICS Sector', 'text'],
        ['GICS Sub-Industry', 'text'],
        ['Headquarters Location', 'text'],
        ['Date added', 'date'],
        ['CIK', expect.any(String)],
        ['Founded', 'text'],
      ]);
      expect(stderr).toContain('writing 100 %');
      const out = join(dir, 'out.csv');
      expect((await exported(answer.id, out)).answer.row_count).toBe(sent.length - 1);
      expect(await records(out)).toEqual(sent);
      await exported(answer.id, join(dir, 'out.json'), '--format', 'json');
      const values = JSON.parse(await readFile(join(dir, 'out.json'), 'utf8')) as Array<
        Record<string, unknown>
      >;
      expect(values.map((row) => sent[0]!.map((key) => String(row[key] ?? '')))).toEqual(sent.slice(1));
      const again = await imported(out);
      expect(again.answer.columns).toEqual(answer.columns);
    },
    SLOW_MS,
  );

  it(
    'reports errors on standard error with code 1, and leaves neither a table nor a file',
    async () => {
      const count = () => test.database.queryOne(systemCtx('spec'), 'SELECT count(*) FROM tables.tables');
      const before = await count();
      const file = join(dir, 'faulty.csv');
      await writeFile(file, `a,b\n1,2\n3,${'x'.repeat(40_000)}\n`);
      const refused = await imported(file);
      expect([refused.code, refused.answer]).toEqual([1, null]);
      expect(refused.stderr).toContain('row 3 (line 3), column b');
      const missing = await exported(newId('tbl'), join(dir, 'never.csv'));
      expect([missing.code, missing.answer]).toEqual([1, null]);
      await expect(stat(join(dir, 'never.csv'))).rejects.toThrow('ENOENT');
      expect(await count()).toEqual(before);
    },
    SLOW_MS,
  );
});
