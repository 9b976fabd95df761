import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganisation } from '@quarry/composition';
import { newId, systemCtx } from '@quarry/platform';
import { CONSTITUENTS_FILE, createTestDatabase, mainOf, type TestDatabase } from '@quarry/testing';
import { figure } from '@quarry/test-servers';
import { parse } from 'csv-parse/sync';

/** Says at its end what the largest resident memory was: kilobytes, by getrusage(2). */
const TELL_PEAK =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("\\npeak "+process.resourceUsage().maxRSS+"\\n"))';
/** QUARRY_FILE_ROWS=100000 for a longer look; the second file has five times as many. */
const ROWS = Number(process.env.QUARRY_FILE_ROWS ?? 20_000);
const SIZES = [ROWS, 5 * ROWS];
const SLOW_MS = 180_000;

interface Ran {
  code: number | null;
  answer: { id: string; row_count: number; columns: Array<{ key: string; kind: string }> };
  stderr: string;
  peakMb: number;
}

describe('tables from and into files, by the command line', () => {
  let test: TestDatabase;
  let dir: string;
  let workspaceId: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    dir = mkdtempSync(join(tmpdir(), 'quarry-admin-'));
    const { orgId } = await createOrganisation(test.database, { name: 'Files', credits: 0 });
    workspaceId = newId('ws');
    await test.database.query(
      systemCtx('spec', orgId),
      'INSERT INTO tables.workspaces (org_id, id, name) VALUES ($1, $2, $3)',
      [orgId, workspaceId, 'Files'],
    );
  });
  afterAll(async () => {
    rmSync(dir, { recursive: true, force: true });
    await test.drop();
  });

  async function admin(...args: string[]): Promise<Ran> {
    const child = spawn(process.execPath, ['--import', TELL_PEAK, mainOf('admin'), ...args], {
      env: { PATH: process.env.PATH ?? '', DATABASE_URL: test.url, DATA_DIR: dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    const peakMb = Number(/^peak (\d+)/m.exec(stderr)?.[1]) / 1024;
    return { code, answer: (stdout === '' ? null : JSON.parse(stdout)) as Ran['answer'], stderr, peakMb };
  }

  const imported = (file: string) => admin('table:import', '--workspace', workspaceId, '--file', file);
  const exported = (table: string, file: string, ...more: string[]) =>
    admin('table:export', '--table', table, '--file', file, ...more);
  const records = async (file: string) => parse(await readFile(file), { bom: true }) as string[][];

  it(
    'brings the constituents in and out again, equal value by value',
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
    'says what is wrong on standard error with code 1, and leaves neither a table nor a file',
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

  it(
    'takes memory that does not grow with the file',
    async () => {
      // What the command takes to look for a table that is not there.
      const idle = (await exported(newId('tbl'), join(dir, 'never.csv'))).peakMb;
      const peaks: Array<{ in: number; out: number }> = [];
      for (const rows of SIZES) {
        const file = join(dir, `${rows}.csv`);
        await writeRows(file, rows);
        const made = await imported(file);
        expect([made.code, made.answer.row_count]).toEqual([0, rows]);
        const written = await exported(made.answer.id, join(dir, 'large.csv'));
        expect([written.code, written.answer.row_count]).toEqual([0, rows]);
        peaks.push({ in: made.peakMb - idle, out: written.peakMb - idle });
        const mb = ((await stat(file)).size / 1024 / 1024).toFixed(0);
        figure(
          `${rows.toLocaleString('en')} rows (${mb} MiB) by the command line: import ${peaks.at(-1)!.in.toFixed(0)} MB, export ${peaks.at(-1)!.out.toFixed(0)} MB over idle (${idle.toFixed(0)} MB)`,
        );
      }
      const [small, large] = peaks as [{ in: number; out: number }, { in: number; out: number }];
      for (const way of ['in', 'out'] as const) {
        expect(large[way]).toBeLessThan(120);
        // Below that size the heap has not yet grown to where the collector keeps it.
        if (ROWS >= 100_000) expect(large[way] - small[way]).toBeLessThan(40);
      }
    },
    SLOW_MS,
  );

  async function writeRows(file: string, rows: number): Promise<void> {
    const out = createWriteStream(file);
    out.write('company,domain,staff,city,note\n');
    for (let from = 0; from < rows; from += 1000) {
      const lines = Array.from({ length: 1000 }, (_, i) => {
        const n = 10_000_000 + from + i;
        return `Company ${n},company${n}.example,${n},"Oslo, Norway",Software ""and"" more ${n}\n`;
      });
      if (!out.write(lines.join(''))) await once(out, 'drain');
    }
    out.end();
    await once(out, 'finish');
  }
});
