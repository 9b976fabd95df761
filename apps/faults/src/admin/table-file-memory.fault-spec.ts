import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrganisation } from '@quarry/composition';
import { newId, systemCtx } from '@quarry/app';
import { createTestDatabase, runAdmin, type TestDatabase, openWorkspace } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';

/** Prints the maximum resident memory at exit: kilobytes, from getrusage(2). */
const TELL_PEAK =
  'data:text/javascript,process.on("exit",()=>process.stderr.write("\\npeak "+process.resourceUsage().maxRSS+"\\n"))';
/**
 * Heap limits for both files, in megabytes. Without a limit the garbage collector lets the heap of a longer run grow further,
 * depending on the load of the machine, so the peaks would say little about the command.
 */
const HEAP = ['--max-old-space-size=112', '--max-semi-space-size=4'];
/** Minimum number of rows: with fewer, the heap does not reach the size at which the collector keeps it. */
const ROWS_MIN = 100_000;
/** Number of rows. QUARRY_FILE_ROWS=300000 makes a longer test; the second file has five times as many. */
const ROWS = Math.max(ROWS_MIN, Number(process.env.QUARRY_FILE_ROWS ?? ROWS_MIN));
const SIZES = [ROWS, 5 * ROWS];
const SLOW_MS = 600_000;

describe('importing and exporting large files on the command line', () => {
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

  async function admin(...args: string[]) {
    const env = { DATABASE_URL: test.url, DATA_DIR: dir };
    const { code, stdout, stderr } = await runAdmin(env, args, '', [...HEAP, '--import', TELL_PEAK]);
    const peakMb = Number(/^peak (\d+)/m.exec(stderr)?.[1]) / 1024;
    const answer = stdout === '' ? null : (JSON.parse(stdout) as { id: string; row_count: number });
    return { code, answer: answer!, peakMb };
  }

  const imported = (file: string) => admin('table:import', '--workspace', workspaceId, '--file', file);
  const exported = (table: string, file: string) => admin('table:export', '--table', table, '--file', file);

  it(
    'takes memory that does not grow with the file',
    async () => {
      // Memory of the command for a table that does not exist.
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
        printMeasurement(
          `${rows.toLocaleString('en')} rows (${mb} MiB) by the command line: import ${peaks.at(-1)!.in.toFixed(0)} MB, export ${peaks.at(-1)!.out.toFixed(0)} MB over idle (${idle.toFixed(0)} MB)`,
        );
      }
      const [small, large] = peaks as [{ in: number; out: number }, { in: number; out: number }];
      for (const way of ['in', 'out'] as const) {
        expect(large[way]).toBeLessThan(120);
        expect(large[way] - small[way]).toBeLessThan(40);
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
