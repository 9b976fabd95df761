import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Ctx } from '@quarry/app';
import type { Database, TxCtx } from '@quarry/postgres';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { json, openScene, refusal, type Scene } from '../spec-kit.js';
import { FileImporter } from './file-importer.js';
import { TableFileWriter } from './table-file.js';
import { orgOfTable, orgOfWorkspace } from './table-owner.js';
import { workbookOf } from './workbook.fixture.js';

const ctx = testCtx('org_files');
const TEXT = 'company;site;staff;note\r\n"Café ""Ü""";acme.com;12;"a\r\nb; c"\r\nΒeta €;beta.io;;=1+1\r\n';
// Windows-1252 has no Greek letters.
const WESTERN = TEXT.replace('Β', 'B');

function utf16(text: string, order: 'le' | 'be'): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

describe('a table imported from a file', () => {
  let test: TestDatabase;
  let scene: Scene;
  let dir: string;
  let workspaceId: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    scene = await openScene(test.database);
    dir = await mkdtemp(join(tmpdir(), 'quarry-files-'));
    workspaceId = String((await json(scene.rpc.createWorkspace(ctx, { name: 'Files' }))).id);
  });
  afterAll(async () => {
    await rm(dir, { recursive: true, force: true });
    await test.drop();
  });

  async function importBytes(bytes: Buffer | string, as: Ctx = ctx) {
    const path = join(dir, 'Leads 2026.csv');
    await writeFile(path, bytes);
    return new FileImporter(test.database).importFile(as, { workspaceId, path });
  }

  async function valuesOf(tableId: string): Promise<Array<Record<string, unknown>>> {
    const all: Array<Record<string, unknown>> = [];
    for await (const rows of scene.reader.readRows(ctx, tableId))
      all.push(...rows.map(({ values }) => values));
    return all;
  }

  async function exported(tableId: string, format: 'csv' | 'json' = 'csv'): Promise<string> {
    const path = join(dir, `out.${format}`);
    const written = await new TableFileWriter(test.database).write(ctx, { tableId, path, format });
    const bytes = await readFile(path);
    expect(written.byteLength).toBe(bytes.length);
    return bytes.toString('utf8');
  }

  it.each([
    ['UTF-8', Buffer.from(TEXT), TEXT],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`), TEXT],
    ['UTF-16 LE with a byte order mark', utf16(`\ufeff${TEXT}`, 'le'), TEXT],
    ['UTF-16 BE with a byte order mark', utf16(`\ufeff${TEXT}`, 'be'), TEXT],
    ['UTF-16 LE without one', utf16(TEXT, 'le'), TEXT],
    [
      'Windows-1252',
      Buffer.concat([
        Buffer.from(WESTERN.split('€')[0]!, 'latin1'),
        Buffer.from([0x80]),
        Buffer.from(WESTERN.split('€')[1]!, 'latin1'),
      ]),
      WESTERN,
    ],
  ])('is read in %s', async (_name, bytes, text) => {
    const made = await importBytes(bytes);
    expect(made).toMatchObject({
      rowCount: 2,
      columns: [
        { key: 'company', name: 'company', kind: 'text', qualification: {} },
        { key: 'site', kind: 'domain' },
        { key: 'staff', kind: 'number' },
        { key: 'note', kind: 'text' },
      ],
    });
    const beta = text.includes('Β') ? 'Βeta €' : 'Beta €';
    expect(await valuesOf(made.id)).toEqual([
      { company: 'Café "Ü"', site: 'acme.com', staff: 12, note: 'a\r\nb; c' },
      { company: beta, site: 'beta.io', staff: null, note: '=1+1' },
    ]);
    expect(await json(scene.rpc.getTable(ctx, { tableId: made.id }))).toMatchObject({
      name: 'Leads 2026',
      workspace_id: workspaceId,
      row_count: 2,
    });
  });

  it('is exported safely for spreadsheets, and imports again unchanged', async () => {
    const made = await importBytes(TEXT);
    const text = await exported(made.id);
    expect(text).toBe(
      '"company","site","staff","note"\r\n"Café ""Ü""","acme.com","12","a\r\nb; c"\r\n"Βeta €","beta.io","","\'=1+1"\r\n',
    );
    const again = await importBytes(text);
    expect(again.columns).toEqual(made.columns);
    expect(await valuesOf(again.id)).toEqual(await valuesOf(made.id));
    expect(JSON.parse(await exported(made.id, 'json'))).toEqual(await valuesOf(made.id));
  });

  it('has column kinds that fit all values, not just the first ones', async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `${i},${i}`);
    const made = await importBytes(`a,b\n${lines.join('\n')}\n5000,none\n`);
    expect(made.rowCount).toBe(5001);
    expect(made.columns.map(({ kind }) => kind)).toEqual(['number', 'text']);
    const values = await valuesOf(made.id);
    expect(values[4999]).toEqual({ a: 4999, b: '4999' });
    expect(values.map(({ a }) => a)).toEqual(Array.from({ length: 5001 }, (_, i) => i));
  });

  it('is read from the first sheet of a workbook, from a request and from a path', async () => {
    const row = (at: number, first: string, count: string): string =>
      `<row r="${at}"><c r="A${at}" t="inlineStr"><is><t>${first}</t></is></c>${count}</row>`;
    const head = row(1, 'Company', '<c r="B1" t="inlineStr"><is><t>Staff</t></is></c>');
    // Row 3 is missing, as in a sheet where a row was cleared.
    const bytes = workbookOf([head + row(2, 'Café; Ü', '<c r="B2"><v>12</v></c>') + row(4, '=1+1', '')]);
    const columns = [
      { key: 'Company', name: 'Company', kind: 'text' },
      { key: 'Staff', name: 'Staff', kind: 'number' },
    ];
    const values = [
      { Company: 'Café; Ü', Staff: 12 },
      { Company: '=1+1', Staff: null },
    ];
    const sent = { workspaceId, base64: bytes.toString('base64') };
    const preview = { columns, items: values, row_count: 2, header: true };
    expect(await json(scene.rpc.previewFile(ctx, sent))).toEqual(preview);
    const { id } = await scene.rpc.importFile(ctx, { ...sent, name: 'Leads' });
    for (const tableId of [id, (await importBytes(bytes)).id])
      expect(await valuesOf(tableId)).toEqual(values);
  });

  it("is the same from a request as from an operator's file, in any encoding", async () => {
    for (const bytes of [Buffer.from(TEXT), utf16(`\ufeff${TEXT}`, 'le'), Buffer.from(`\ufeff${TEXT}`)]) {
      const base64 = bytes.toString('base64');
      const preview = await json(scene.rpc.previewFile(ctx, { workspaceId, base64 }));
      const made = await scene.rpc.importFile(ctx, { workspaceId, base64, name: 'Sent' });
      const [file, values] = [await importBytes(bytes), await valuesOf(made.id)];
      expect(JSON.parse(made.json)).toMatchObject({ name: 'Sent', columns: file.columns, row_count: 2 });
      expect(values).toEqual(await valuesOf(file.id));
      expect(preview).toEqual({
        columns: file.columns.map(({ key, name, kind }) => ({ key, name, kind })),
        items: values,
        row_count: 2,
        header: true,
      });
    }
  });

  it('treats the first row as values if the sender says so, and as names otherwise', async () => {
    const base64 = Buffer.from('Paper Ltd\nInk Ltd\n').toString('base64');
    const rowsWith = async (hasHeader?: boolean) => {
      const sent = { workspaceId, base64, ...(hasHeader === undefined ? {} : { hasHeader }) };
      const preview = await json<{ header: boolean; items: unknown[] }>(scene.rpc.previewFile(ctx, sent));
      const { id } = await scene.rpc.importFile(ctx, { ...sent, name: 'Names' });
      expect(await valuesOf(id)).toEqual(preview.items);
      return preview;
    };
    expect(await rowsWith()).toMatchObject({ header: true, items: [{ 'Paper Ltd': 'Ink Ltd' }] });
    expect(await rowsWith(false)).toMatchObject({
      header: false,
      items: [{ column_1: 'Paper Ltd' }, { column_1: 'Ink Ltd' }],
    });
  });

  it('is created once per idempotency key, and not by a preview or an invalid request', async () => {
    const count = async () =>
      (await json<{ items: unknown[] }>(scene.rpc.listTables(ctx, { workspaceId, limit: 1000, offset: 0 })))
        .items.length;
    const before = await count();
    const base64 = Buffer.from(TEXT).toString('base64');
    await scene.rpc.previewFile(ctx, { workspaceId, base64 });
    expect(await count()).toBe(before);
    const keyed = { workspaceId, base64, name: 'Once', idempotencyKey: 'file-1' };
    const made = await scene.rpc.importFile(ctx, keyed);
    expect((await scene.rpc.importFile(ctx, keyed)).id).toBe(made.id);
    expect(await count()).toBe(before + 1);
    const empty = { workspaceId, base64: '', name: 'Empty' };
    const foreign = { ...ctx, orgId: 'org_other' };
    const refusals = await Promise.all(
      [
        scene.rpc.importFile(ctx, empty),
        scene.rpc.previewFile(ctx, empty),
        scene.rpc.importFile(foreign, { ...empty, base64 }),
        scene.rpc.previewFile(foreign, { workspaceId, base64 }),
      ].map(refusal),
    );
    expect(refusals.map(({ code }) => code)).toEqual([
      'invalid_request',
      'invalid_request',
      'workspace_not_found',
      'workspace_not_found',
    ]);
    expect(await count()).toBe(before + 1);
  });

  it('gets numbered columns without a header; duplicate and missing names get their own keys; short rows end in null', async () => {
    const plain = await importBytes('Acme,acme.com\nBeta,beta.io\n');
    expect(plain.columns.map(({ key }) => key)).toEqual(['column_1', 'column_2']);
    expect(plain.rowCount).toBe(2);
    const odd = await importBytes('name,,name\nAcme,x,y\nBeta\n');
    expect(await valuesOf(odd.id)).toEqual([
      { name: 'Acme', column_2: 'x', 'name (2)': 'y' },
      { name: 'Beta', column_2: null, 'name (2)': null },
    ]);
  });

  it('may take longer than the statement timeout of a request', async () => {
    const hurried = new Proxy(test.database, {
      get: (target, name: keyof Database) =>
        name === 'transaction'
          ? (as: Ctx, work: (tx: TxCtx) => Promise<unknown>) =>
              target.transaction(as, async (tx) => {
                await target.query(tx, "SET LOCAL statement_timeout = '20ms'");
                return work(tx);
              })
          : target[name],
    });
    const path = join(dir, 'long.csv');
    await writeFile(path, `a,b\n${Array.from({ length: 30_000 }, (_, i) => `name ${i},${i}`).join('\n')}\n`);
    const made = await new FileImporter(hurried).importFile(ctx, { workspaceId, path });
    const out = { tableId: made.id, path: join(dir, 'long-out.csv'), format: 'csv' } as const;
    expect((await new TableFileWriter(hurried).write(ctx, out)).rowCount).toBe(30_000);
  });

  it('reports row, line and column of each error, and leaves nothing behind', async () => {
    const count = () => test.database.queryOne(ctx, 'SELECT count(*) FROM tables.rows');
    const before = await count();
    const text = `a,b\n1,"x\ny"\n2,\0\n3,${'z'.repeat(40_000)}\n4,5,6\n`;
    expect(await refusal(importBytes(text))).toMatchObject({
      code: 'invalid_request',
      details: [
        {
          path: 'row 3 (line 4), column b',
          message: 'row 3 (line 4), column b must not contain NUL or half of a surrogate pair',
        },
        {
          path: 'row 4 (line 5), column b',
          message: 'row 4 (line 5), column b must have at most 32768 bytes',
        },
        {
          path: 'row 5 (line 6), column 3',
          message: 'row 5 (line 6), column 3 has more cells than the 2 columns',
        },
      ],
    });
    expect((await refusal(importBytes('a,b\n1,"never closed\n'))).code).toBe('invalid_request');
    expect((await refusal(importBytes(''))).code).toBe('invalid_request');
    expect(await count()).toEqual(before);
  });

  it('leaves nothing behind if the database refuses its last row', async () => {
    await test.asOwner(
      `ALTER TABLE tables.rows ADD CONSTRAINT refuse CHECK (cell_values->>'a' IS DISTINCT FROM 'refuse me')`,
    );
    const lines = Array.from({ length: 20_000 }, (_, i) => `row ${i}`);
    await expect(importBytes(`a\n${lines.join('\n')}\nrefuse me\n`)).rejects.toThrow('refuse');
    await test.asOwner('ALTER TABLE tables.rows DROP CONSTRAINT refuse');
    const orphans = `SELECT 1 FROM tables.rows r
      WHERE NOT EXISTS (SELECT 1 FROM tables.tables t WHERE t.row_set = r.row_set) LIMIT 1`;
    expect(await test.database.query(ctx, orphans)).toEqual([]);
  });

  it('is added only to open workspaces, whose organisation the operator need not know', async () => {
    expect(await orgOfWorkspace(test.database, testCtx(''), workspaceId)).toBe(ctx.orgId);
    const made = await importBytes('a,b\n1,2\n');
    expect(await orgOfTable(test.database, testCtx(''), made.id)).toBe(ctx.orgId);
    expect((await refusal(importBytes('a,b\n1,2\n', testCtx('org_other')))).code).toBe('workspace_not_found');
    for (const id of [newId('ws'), 'ws', made.id])
      expect((await refusal(orgOfWorkspace(test.database, testCtx(''), id))).code).toBe(
        'workspace_not_found',
      );
    expect((await refusal(orgOfTable(test.database, testCtx(''), newId('tbl')))).code).toBe(
      'table_not_found',
    );
  });

  it('leaves no partial file if its export fails', async () => {
    const path = join(dir, 'none.csv');
    const target = { tableId: newId('tbl'), path, format: 'csv' } as const;
    expect((await refusal(new TableFileWriter(test.database).write(ctx, target))).code).toBe(
      'table_not_found',
    );
    expect((await readdir(dir)).filter((name) => name.startsWith('none'))).toEqual([]);
  });
});
