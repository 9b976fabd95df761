import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { DirectoryStore } from '@quarry/imported';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import { BACKUP_COMMANDS } from './backup.commands.js';
import type { Options } from './commands.js';
import { DIRECTORY_COMMANDS } from './directory.commands.js';

const ctx = systemCtx('spec');

describe('a backup of an installation with directories', () => {
  const dir = mkdtempSync(join(tmpdir(), 'quarry-directory-backup-'));
  const open: TestDatabase[] = [];
  let source: TestDatabase;

  beforeAll(async () => {
    source = await opened();
    const companies = join(dir, 'companies.csv');
    writeFileSync(companies, 'name,domain,city,country\nZahlwerk,zahlwerk.example,Wien,Austria\n');
    const people = join(dir, 'people.csv');
    writeFileSync(people, 'full_name,title,company_name\nAda Zahl,CTO,Zahlwerk\nBo Zahl,CFO,Zahlwerk\n');
    await imported('companies', 'firms', companies);
    await imported('companies', 'firms', companies);
    await imported('people', 'contacts', people);
  });
  afterAll(async () => {
    rmSync(dir, { recursive: true, force: true });
    for (const test of open) await test.drop();
  });

  async function opened(isMigrated = true): Promise<TestDatabase> {
    const test = await createTestDatabase({ isEmpty: !isMigrated });
    open.push(test);
    return test;
  }

  const imported = (kind: string, name: string, file: string) =>
    DIRECTORY_COMMANDS['directory:import']!.run(source.database, { kind, name, file }, {});

  /** Restores a backup with the given options into a new database, as the command does. */
  async function restored(options: Options): Promise<TestDatabase> {
    const file = join(dir, `${open.length}.backup`);
    await BACKUP_COMMANDS.backup!.run(source.database, { file, ...options }, {});
    const target = await opened(false);
    const restore = BACKUP_COMMANDS.restore!;
    const rows = await restore.prepare!(target.ownerUrl, { file }, dir);
    await restore.run(target.database, { file }, rows);
    return target;
  }

  const list = async ({ database }: TestDatabase) =>
    (await DIRECTORY_COMMANDS['directory:list']!.run(database, {}, {})).items as object[];

  /** Returns the number of rows in all directories of a kind, which inherit from its template. */
  const rowsOf = ({ database }: TestDatabase, kind: string) =>
    database.query(ctx, `SELECT * FROM directory.${kind} ORDER BY position`);

  const indexesOf = ({ database }: TestDatabase) =>
    database.query(
      ctx,
      `SELECT tablename, replace(indexdef, indexname, '') AS definition FROM pg_indexes
       WHERE schemaname = 'directory' ORDER BY tablename, definition`,
    );

  it('contains them: after a restore they are searched with the same indexes, and can be imported again', async () => {
    const target = await restored({});
    expect((await list(target)).map((each) => ({ ...each, byte_length: 0 }))).toEqual(
      (await list(source)).map((each) => ({ ...each, byte_length: 0 })),
    );
    expect([await rowsOf(target, 'companies'), await rowsOf(target, 'people')]).toEqual([
      [expect.objectContaining({ name: 'Zahlwerk', domain: 'zahlwerk.example', city: 'Vienna' })],
      [expect.objectContaining({ title: 'CTO' }), expect.objectContaining({ title: 'CFO' })],
    ]);
    expect(await rowsOf(target, 'people')).toEqual(await rowsOf(source, 'people'));
    expect(await indexesOf(target)).toEqual(await indexesOf(source));
    const again = join(dir, 'again.csv');
    writeFileSync(again, 'name\nAnother\n');
    await DIRECTORY_COMMANDS['directory:import']!.run(
      target.database,
      { kind: 'companies', name: 'firms', file: again },
      {},
    );
    expect(await list(target)).toHaveLength(2);
    const erase = { 'linkedin-url': undefined, name: 'Ada Zahl', company: 'Zahlwerk' };
    expect(await DIRECTORY_COMMANDS['directory:erase']!.run(target.database, erase, {})).toMatchObject({
      erased: 1,
    });
  });

  it('omits them on request, and still records that there were some', async () => {
    const target = await restored({ 'without-directories': true });
    expect(await list(target)).toEqual([]);
    expect(await new DirectoryStore(target.database).hasHadAny()).toBe(true);
  });
});
