import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { waitFor } from '@quarry/test-servers';
import { appEnv, createTestDatabase, mainOf, runAdmin, type TestDatabase } from '@quarry/testing';

// Enough lines to kill the import midway, and few enough to write them in one go.
const LINES = 300_000;

describe('directories on the command line', () => {
  let test: TestDatabase;
  let dir: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    dir = mkdtempSync(join(tmpdir(), 'quarry-directories-'));
  });
  afterAll(async () => {
    rmSync(dir, { recursive: true, force: true });
    await test.drop();
  });

  const environment = () => ({ DATABASE_URL: test.url, DATA_DIR: dir });
  const admin = (...args: string[]) => runAdmin(environment(), args);
  const list = async () => JSON.parse((await admin('directory:list')).stdout) as { items: object[] };
  const tables = () =>
    test.database.query<{ name: string }>(
      systemCtx('spec'),
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ '^companies_[0-9]+$'`,
    );

  function written(name: string, lines: number): string {
    const path = join(dir, name);
    const rows = Array.from({ length: lines }, (_, i) => `Firm ${i};firm-${i}.com;51-200;Wien;AT`);
    writeFileSync(path, `Firma;Webseite;Größe;Stadt;Land\r\n${rows.join('\r\n')}\r\n`);
    return path;
  }
  const importing = (file: string, ...more: string[]) => [
    'directory:import',
    '--kind',
    'companies',
    '--file',
    file,
    '--name',
    'firms',
    '--map',
    'Firma=name',
    '--map',
    'Stadt=city',
    '--accept-guesses',
    ...more,
  ];

  it('show how a file would be read without importing it', async () => {
    const { code, stdout, stderr } = await admin(...importing(written('few.csv', 50), '--dry-run'));
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        imported: false,
        row_count: 50,
        rejected_count: 0,
        mapping: { Firma: 'name', Webseite: 'domain', Größe: 'size', Stadt: 'city', Land: 'country' },
      },
    ]);
    expect(stderr).toContain('  Größe -> size (a guess from its values: 51-200)\n');
    expect(await list()).toEqual({ items: [] });
  });

  it('are not created from suggestions that nobody has accepted', async () => {
    const importWithout = importing(written('few.csv', 50)).filter((arg) => arg !== '--accept-guesses');
    const { code, stdout, stderr } = await admin(...importWithout);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n').at(-1)).toBe(
      'Nothing was imported: Webseite -> domain, Größe -> size and Land -> country are guesses from the values. Accept with --accept-guesses, or map the columns with --map "<column>=<field>" ("<column>=" leaves one out).',
    );
    expect(await list()).toEqual({ items: [] });
  });

  it('are unchanged if the command is killed during an import', async () => {
    expect((await admin(...importing(written('few.csv', 50)))).code).toBe(0);
    const before = [await list(), await tables()];
    const args = [mainOf('admin'), ...importing(written('many.csv', LINES))];
    const child = spawn(process.execPath, args, { env: { ...appEnv(), ...environment() }, stdio: 'ignore' });
    const copying = () =>
      test.database.query<{ rows: string }>(
        systemCtx('spec'),
        `SELECT tuples_processed AS rows FROM pg_stat_progress_copy WHERE datname = current_database() AND tuples_processed > 0`,
      );
    await waitFor('rows to be copied', async () => (await copying()).length > 0);
    child.kill('SIGKILL');
    await once(child, 'close');
    await waitFor('PostgreSQL to notice', async () => (await copying()).length === 0);
    expect([await list(), await tables()]).toEqual(before);
  });

  it.each<[string, string[], RegExp]>([
    [
      'another kind',
      ['--kind', 'firms', '--file', 'x.csv'],
      /--kind must be one of companies, people, not firms/,
    ],
    [
      'a name that is none',
      [
        '--kind',
        'companies',
        '--file',
        'few.csv',
        '--map',
        'Firma=name',
        '--name',
        'A b',
        '--accept-guesses',
      ],
      /The name of a directory must have/,
    ],
    ['a file of no JSON', ['--kind', 'companies', '--file', 'broken.jsonl'], /Line 2 is not JSON\./],
  ])('are refused with %s', async (_what, args, message) => {
    writeFileSync(join(dir, 'broken.jsonl'), '{"name":"a"}\n{"name":\n');
    const whole = args.map((arg) => (/\.(csv|jsonl)$/.test(arg) ? join(dir, arg) : arg));
    const { code, stdout, stderr } = await admin('directory:import', ...whole);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
  });
});
