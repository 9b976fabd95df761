import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@quarry/test-servers';
import { useTestDatabase, testCtx } from '@quarry/testing';
import type { DirectoryFile, FileRecord } from './directory-file.js';
import { DirectoryStore } from '../tables/directory.store.js';
import { chainsOf } from '@quarry/engine';
import { ImportedDirectories } from '../imported-directories.js';
import { DirectoryImporter, type ImportReport } from './directory-importer.js';
import { findMapping } from './find-mapping.js';

const LINES = 100_000;
const HEADER = ['name', 'domain', 'country', 'size', 'description'];
const BATCH = 500;
const tenant = { orgId: 'org_import', mode: 'live' } as const;

/** Lines of files written by hand, starting with line 2. */
const AWKWARD: ReadonlyArray<readonly [fields: string[], reason: string | null]> = [
  [['', 'nameless.com', 'Germany', '1-10', ''], 'It has no company name.'],
  [['Tab\there', 'tab.com', 'Germany', '1-10', 'line\r\nbreak and \\. and \\N'], null],
  [['Again', 'tab.com', 'Germany', '1-10', ''], 'It duplicates line 3.'],
  [['\\', 'backslash.com', 'Germany', '1-10', '"{}",\'$1\''], null],
  [['x'.repeat(400), 'long.com', 'Germany', '', ''], 'A name is longer than 300 characters.'],
  [['Nul\0', 'nul.com', 'Germany', '', ''], 'name has characters that cannot be kept.'],
  [['🦄 & ﬁne', '-', 'Elbonia', 'a few', ''], null],
  [['Too short'], null],
  [['Too long', 'longer.com', 'Germany', '', '', 'more', 'and more'], null],
  [['Half\uD800', 'half.com', 'Germany', '', ''], 'name has characters that cannot be kept.'],
];

/** @param onBatch called with the number of the first line of each batch before the batch is yielded */
function fileOf(lines: number, suffix: string, onBatch?: (line: number) => Promise<void>): DirectoryFile {
  const record = (line: number): FileRecord => ({
    line,
    fields: AWKWARD[line - 2]?.[0] ?? [
      `Firm ${line}`,
      `firm-${line}.${suffix}`,
      'France',
      '51-200',
      `No. ${line}`,
    ],
  });
  return {
    header: HEADER,
    async *batches(onProgress) {
      for (let from = 2; from < lines + 2; from += BATCH) {
        await onBatch?.(from);
        yield Array.from({ length: Math.min(BATCH, lines + 2 - from) }, (_, i) => record(from + i));
        onProgress?.((from - 2) / lines);
      }
    },
  };
}

describe('a directory import', () => {
  const test = useTestDatabase();
  let directories: ImportedDirectories;

  beforeAll(() => {
    directories = new ImportedDirectories(test.database);
  });

  async function importOf(name: string, file: DirectoryFile): Promise<ImportReport> {
    const mapping = findMapping('companies', file.header);
    return new DirectoryImporter(test.database).importFile({
      kind: 'companies',
      name,
      file,
      mapping,
      source: 'spec',
    });
  }

  async function domainsOf(query: object, limit = 3): Promise<Array<string | null>> {
    const { companies } = chainsOf(await directories.directoriesOf(tenant));
    const { items } = await companies!.searchCompanies(query, { limit });
    return items.map(({ domain }) => domain);
  }

  async function tables(): Promise<string[]> {
    const rows = await test.database.query<{ name: string }>(
      testCtx(''),
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ '^(companies|people)_[0-9]+$'
         AND relnamespace = 'directory'::regnamespace ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  }

  it('reads 100,000 lines, reports number and reason of rejected ones, and keeps the rest', async () => {
    const report = await importOf('big', fileOf(LINES, 'com'));
    const rejected = AWKWARD.flatMap(([, reason], i) => (reason === null ? [] : [{ line: i + 2, reason }]));
    expect([...report.rejected].sort((a, b) => a.line - b.line)).toEqual(rejected);
    expect([report.rowCount, report.rejectedCount]).toEqual([LINES - rejected.length, rejected.length]);
    expect(report.unknown.map(({ field, texts }) => [field, ...texts])).toEqual([
      ['domain', '-'],
      ['country', 'Elbonia'],
      ['size', 'a few'],
    ]);
    const { companies } = chainsOf(await directories.directoriesOf(tenant));
    const found = async (name: string) =>
      (await companies!.searchCompanies({ names: [name] }, { limit: 5 })).items;
    expect((await found('tab here'))[0]).toMatchObject({
      name: 'Tab\there',
      domain: 'tab.com',
      description: 'line\r\nbreak and \\. and \\N',
      headcount: null,
    });
    expect((await found('🦄 & ﬁne'))[0]).toMatchObject({
      domain: null,
      country: 'Elbonia',
      country_code: null,
    });
    expect((await found('too short'))[0]).toMatchObject({ domain: null, country: null });
    const { items } = await companies!.searchCompanies({ domains: ['backslash.com'] }, { limit: 1 });
    expect(items[0]?.description).toBe('"{}",\'$1\'');
    // A range matches only when it lies completely within the requested one.
    const sized = async (min: number, max: number) =>
      (await companies!.searchCompanies({ headcount: [{ min, max }] }, { limit: 1 })).total;
    expect(await sized(51, 200)).toBeGreaterThan(10_000);
    expect(await sized(51, 199)).toBe(0);
    const [head] = await new DirectoryStore(test.database).listSummaries();
    expect(head).toMatchObject({ kind: 'companies', name: 'big', rowCount: LINES - rejected.length });
  });

  it('keeps the previous directory if its connection is lost midway, and nothing of itself', async () => {
    const before = [await tables(), await domainsOf({})];
    const cut = async (line: number): Promise<void> => {
      if (line < LINES / 2) return;
      await test.database.query(
        testCtx(''),
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY directory.%'`,
      );
    };
    await expect(importOf('big', fileOf(LINES, 'fr', cut))).rejects.toThrow();
    expect([await tables(), await domainsOf({})]).toEqual(before);
  });

  it('keeps the previous directory if the file breaks off', async () => {
    const before = [await tables(), await domainsOf({})];
    const broken = fileOf(2000, 'fr', async (line) => {
      if (line > 1000) throw new Error('The file cannot be read any more.');
    });
    await expect(importOf('big', broken)).rejects.toThrow('The file cannot be read any more.');
    expect([await tables(), await domainsOf({})]).toEqual(before);
  });

  it.each([
    ['has only its heading', 0, 'The file has no line to import.'],
    ['has no valid line', 1, 'The file has no line to import. Line 2: It has no company name.'],
  ])('keeps the previous directory if the file %s', async (_, lines, message) => {
    const before = [await tables(), await domainsOf({})];
    await expect(importOf('big', fileOf(lines, 'fr'))).rejects.toMatchObject({
      code: 'invalid_request',
      message,
    });
    expect([await tables(), await domainsOf({})]).toEqual(before);
  });

  it('replaces a directory of the same name at once, even for a search that already located the old one', async () => {
    const { companies } = chainsOf(await directories.directoriesOf(tenant));
    const search = async () =>
      (await companies!.searchCompanies({ names: ['Firm 500'] }, { limit: 1 })).items[0]?.domain;
    expect(await search()).toBe('firm-500.com');
    const [before] = await tables();
    await importOf('big', fileOf(1000, 'net'));
    expect(await search()).toBe('firm-500.net');
    expect(await tables()).not.toContain(before);
    expect((await tables()).length).toBe(1);
  });

  it('is searched among several in order of their names, or in the order of the provider file', async () => {
    await importOf('alpha', fileOf(600, 'org'));
    const named = async (order: object) => {
      const { companies } = chainsOf(
        await new ImportedDirectories(test.database, order).directoriesOf(tenant),
      );
      const answer = await companies!.searchCompanies({ names: ['Firm 500'] }, { limit: 1 });
      const later = await companies!.searchCompanies({ names: ['Firm 900'] }, { limit: 1 });
      return [answer.provider, answer.items[0]?.domain, later.provider, later.total];
    };
    expect(await named({})).toEqual(['directory:alpha', 'firm-500.org', 'directory:big', 1]);
    expect(await named({ companies: ['big', 'nobody'] })).toEqual([
      'directory:big',
      'firm-500.net',
      'directory:big',
      1,
    ]);
    expect(
      chainsOf(await new ImportedDirectories(test.database, { companies: [] }).directoriesOf(tenant))
        .companies,
    ).toBeNull();
  });

  it.each([
    ['two names', ['alpha', 'big']],
    ['one name', ['big', 'big']],
  ])('can run twice at once, with %s, while searches are answered', async (_what, names) => {
    let arrived = 0;
    let open: () => void = () => undefined;
    const bothHaveTables = new Promise<void>((resolve) => (open = resolve));
    const found: unknown[] = [];
    const meet = async (line: number): Promise<void> => {
      if (line > 2) return;
      arrived += 1;
      if (arrived === 2) {
        found.push(...(await domainsOf({ names: ['Firm 500'] }, 1)));
        open();
      }
      await bothHaveTables;
    };
    // If one fails, the other must not wait for it.
    const imports = names.map((name, i) => importOf(name, fileOf(700 + i, 'de', meet)).finally(open));
    expect((await Promise.allSettled(imports)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
    ]);
    expect(found).toEqual([expect.stringMatching(/^firm-500/)]);
    const heads = await new DirectoryStore(test.database).listDirectories();
    expect(heads.map(({ name }) => name)).toEqual(['alpha', 'big']);
    // A column that a migration adds to the parent table is also added to its children.
    const children = await test.database.query<{ name: string }>(
      testCtx(''),
      'SELECT DISTINCT tableoid::regclass::text AS name FROM directory.companies ORDER BY 1',
    );
    const named = heads.map(({ number }) => `companies_${number}`).sort();
    expect(children.map(({ name }) => name)).toEqual(named.map((name) => `directory.${name}`));
    expect(await tables()).toEqual(named);
  });

  it('waits for a running search, and meanwhile new searches are answered', async () => {
    const [head] = (await new DirectoryStore(test.database).listDirectories()).filter(
      ({ name }) => name === 'big',
    );
    const table = `directory.companies_${head!.number}`;
    const reader = new ImportedDirectories(test.database, { companies: ['big'] });
    const domain = async () => {
      const { companies } = chainsOf(await reader.directoriesOf(tenant));
      return (await companies!.searchCompanies({ names: ['Firm 650'] }, { limit: 1 })).items[0]?.domain;
    };
    const importing: Array<Promise<ImportReport>> = [];
    await test.database.transaction(testCtx(''), async (tx) => {
      await test.database.query(tx, `SELECT 1 FROM ${table} LIMIT 1`);
      importing.push(importOf('big', fileOf(700, 'se')));
      await waitFor('the import to wait for the search', async () => {
        const waiting = await test.database.query(
          testCtx(''),
          `SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = to_regclass($1)`,
          [table],
        );
        return waiting.length > 0;
      });
      expect(await domain()).toBe('firm-650.de');
    });
    await Promise.all(importing);
    expect(await domain()).toBe('firm-650.se');
    expect(await tables()).not.toContain(table.replace('directory.', ''));
  });

  it('can be dropped, and a search that knew it then fails instead of finding nothing', async () => {
    const store = new DirectoryStore(test.database);
    const { companies } = chainsOf(await directories.directoriesOf(tenant));
    for (const name of ['alpha', 'big']) expect(await store.dropDirectory('companies', name)).toBe(true);
    expect(await store.dropDirectory('companies', 'big')).toBe(false);
    expect(await tables()).toEqual([]);
    await expect(companies!.searchCompanies({}, { limit: 1 })).rejects.toMatchObject({
      name: 'ProviderFailure',
      code: 'provider_unavailable',
    });
    expect(chainsOf(await new ImportedDirectories(test.database).directoriesOf(tenant)).companies).toBeNull();
  });
});
