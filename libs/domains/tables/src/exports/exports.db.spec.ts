import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  cellText,
  Person,
  type ColumnJson,
  type ColumnKind,
  type CreateTableExportRequest,
  type ExportFormat,
} from '@quarry/dto';
import { newId } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { column, newTable, openScene, refusal, type Scene } from '../spec-kit.js';
import { eraseFromTables } from '../erasure/erase-from-tables.js';
import { CHUNK_BYTES } from './export-content.js';
import { formulaSafe } from './csv.js';
import { deleteExpiredExports } from './expired-exports.js';

const ctx = testCtx('org_export');

/** Parses CSV independently of the encoder: quoted fields, doubled quotes, CRLF between records. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (let at = 0; at < text.length;) {
    if (text[at] !== '"') throw new Error(`A field at ${at} is not quoted.`);
    let field = '';
    for (at += 1; ; at += 1) {
      if (text[at] !== '"') field += text[at];
      else if (text[at + 1] === '"') field += text[++at];
      else break;
    }
    record.push(field);
    at += 1;
    if (text[at] === ',') at += 1;
    else if (text.slice(at, at + 2) === '\r\n') {
      records.push(record);
      record = [];
      at += 2;
    } else throw new Error(`Neither a comma nor CRLF at ${at}.`);
  }
  return records;
}

/** Returns the text of a cell. A list outside a list column is JSON, spaced as PostgreSQL does. */
function shown(kind: ColumnKind, value: unknown): string {
  if (kind === 'list' || !Array.isArray(value)) return cellText(kind, value);
  return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
}

describe('an export', () => {
  const test = useTestDatabase();
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(test.database);
  });

  async function frozenRun(columns: ColumnJson[], rows: Array<Record<string, unknown>>): Promise<string> {
    const { tableId } = await newTable(scene, ctx, columns);
    await scene.writer.appendRows(
      ctx,
      tableId,
      rows.map((values, n) => ({ id: `row_${n}`, values })),
    );
    const runId = scene.addRun(ctx);
    await test.database.transaction(ctx, (tx) =>
      scene.freezer.freezeTable(tx, { runId, tableId, key: 'leads' }),
    );
    return runId;
  }

  /** Reads a whole export in ranges of `step` bytes. */
  async function content(exportId: string, step = 1024 * 1024): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let offset = 0; ; offset += step) {
      const { base64 } = await scene.rpc.readExport(ctx, { exportId, offset, length: step });
      if (base64 === '') return Buffer.concat(parts);
      parts.push(Buffer.from(base64, 'base64'));
    }
  }

  async function exported(runId: string, format: ExportFormat): Promise<string> {
    const made = await scene.rpc.createExport(ctx, { runId, tableKey: 'leads', format });
    return (await content(made.id)).toString('utf8');
  }

  it('is returned as the contract shows it, with headers that match its bytes', async () => {
    const runId = await frozenRun([column('a')], [{ a: 'é' }]);
    const made = await scene.rpc.createExport(ctx, { runId, tableKey: 'leads', format: 'csv' });
    const bytes = await content(made.id);
    expect(JSON.parse(made.json)).toEqual({
      id: made.id,
      byte_length: bytes.length,
      links: { self: `/v1/exports/${made.id}` },
    });
    expect(await scene.rpc.getExport(ctx, { exportId: made.id })).toEqual({
      id: made.id,
      contentType: 'text/csv; charset=utf-8',
      filename: 'Leads.csv',
      byteLength: bytes.length,
      etag: `"${createHash('sha256').update(bytes).digest('hex')}"`,
    });
    expect(bytes.toString()).toBe('"a"\r\n"é"\r\n');
  });

  it("of a live table has its current rows, or a view's rows in order, under the chosen headings", async () => {
    const { tableId } = await newTable(scene, ctx, [column('name'), column('n', 'number'), column('=x')]);
    const values = [
      { name: 'b', n: 1, '=x': '=1' },
      { name: 'a', n: 2 },
      { name: 'c', n: 3 },
    ];
    await scene.writer.appendRows(
      ctx,
      tableId,
      values.map((each) => ({ id: newId('row'), values: each })),
    );
    const view = await scene.rpc.createView(ctx, {
      tableId,
      view: { filter: [{ key: 'n', op: 'lt', value: 3 }], sort: [{ key: 'name', direction: 'asc' }] },
    });
    const made = async (body: CreateTableExportRequest) =>
      (await content((await scene.rpc.createTableExport(ctx, { tableId, body })).id)).toString();
    expect(await made({ format: 'csv', bom: true })).toBe(
      `\ufeff"name","n","'=x"\r\n"b","1","'=1"\r\n"a","2",""\r\n"c","3",""\r\n`,
    );
    const columns = [{ key: 'n', name: 'Staff' }, { key: 'name' }];
    expect(await made({ format: 'csv', columns, view: view.id })).toBe(
      '"Staff","name"\r\n"2","a"\r\n"1","b"\r\n',
    );
    expect(JSON.parse(await made({ format: 'json', columns, view: view.id }))).toEqual([
      { Staff: 2, name: 'a' },
      { Staff: 1, name: 'b' },
    ]);
  });

  it('is refused for unknown columns, unknown views and tables of other tenants', async () => {
    const { tableId } = await newTable(scene, ctx, [column('name')]);
    const requestExport = (body: CreateTableExportRequest, who = ctx) =>
      refusal(scene.rpc.createTableExport(who, { tableId, body }));
    expect(await requestExport({ format: 'csv', columns: [{ key: 'name' }, { key: 'no' }] })).toMatchObject({
      code: 'invalid_request',
      message: 'columns[1].key is "no", which is not a column of the table; it has name',
      details: [{ path: 'columns[1].key' }],
    });
    expect(await requestExport({ format: 'csv', view: newId('view') })).toMatchObject({ code: 'not_found' });
    for (const who of [testCtx('org_other'), { ...ctx, mode: 'test' as const }])
      expect(await requestExport({ format: 'csv' }, who)).toMatchObject({ code: 'table_not_found' });
  });

  it.each<[string, Array<{ key: string; name?: string }>]>([
    [
      'columns[1].name',
      [
        { key: 'a', name: 'x' },
        { key: 's', name: 'x' },
      ],
    ],
    ['columns[1].key', [{ key: 'a', name: 's' }, { key: 's' }]],
    ['columns[1].name', [{ key: 'a' }, { key: 's', name: 'a' }]],
    ['columns[2].key', [{ key: 'a' }, { key: 's' }, { key: 'a' }]],
  ])('is refused if two columns have the same heading: %s', async (path, columns) => {
    const { tableId } = await newTable(scene, ctx, [column('a'), column('s')]);
    for (const format of ['csv', 'json'] as const) {
      const refused = await refusal(scene.rpc.createTableExport(ctx, { tableId, body: { format, columns } }));
      expect([refused.code, refused.details?.map((each) => each.path)]).toEqual(['invalid_request', [path]]);
      expect(refused.message).toMatch(
        new RegExp(`^${path.replaceAll(/[[\].]/g, '\\$&')} is the heading of columns`),
      );
    }
  });

  it('distinguishes columns of the same name by their keys', async () => {
    const namesakes = [column('a'), column('s')].map((each) => ({ ...each, name: 'Same' }));
    const { tableId } = await newTable(scene, ctx, namesakes);
    await scene.writer.appendRows(ctx, tableId, [{ id: newId('row'), values: { a: '1', s: '2' } }]);
    const made = async (format: 'csv' | 'json') =>
      (await content((await scene.rpc.createTableExport(ctx, { tableId, body: { format } })).id)).toString();
    expect(await made('csv')).toBe('"a","s"\r\n"1","2"\r\n');
    expect(JSON.parse(await made('json'))).toEqual([{ a: '1', s: '2' }]);
  });

  it('of a live table is deleted when a person in its rows is erased', async () => {
    const { tableId } = await newTable(scene, ctx, [column('name')]);
    const values = { name: 'wq@quist.example' };
    await scene.writer.appendRows(ctx, tableId, [{ id: newId('row'), values }]);
    const made = await scene.rpc.createTableExport(ctx, { tableId, body: { format: 'csv' } });
    await eraseFromTables(test.database, ctx, Person.of({ email: 'wq@quist.example' }));
    expect(await refusal(scene.rpc.getExport(ctx, { exportId: made.id }))).toMatchObject({
      code: 'export_not_found',
    });
  });

  it('has readable text in CSV, and the exact values in JSON', async () => {
    const columns = [
      column('text'),
      column('n', 'number'),
      column('tags', 'list'),
      column('=key'),
      column('o', 'object'),
    ];
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('=1+1', '+4712345678', '-5', '"', ',', '\r\n', "'", '\t', '; ', null, '@x\n"'),
      fc.integer(),
      fc.boolean(),
      fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
    );
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0));
    const row = fc.record(
      Object.fromEntries(
        columns.map(({ key, kind }) => [key, kind === 'number' ? fc.oneof(value, number) : value]),
      ),
    );
    const storable = fc
      .array(row, { maxLength: 8 })
      .filter((rows) => !JSON.stringify(rows).includes('\\u0000'));
    await fc.assert(
      fc.asyncProperty(storable, async (rows) => {
        const runId = await frozenRun(columns, rows);
        expect(JSON.parse(await exported(runId, 'json'))).toEqual(rows);
        const [header, ...records] = parseCsv(await exported(runId, 'csv'));
        expect(header).toEqual(['text', 'n', 'tags', "'=key", 'o']);
        expect(records).toEqual(
          rows.map((values) => columns.map(({ key, kind }) => formulaSafe(shown(kind, values[key])))),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('of an empty table is a header, or an empty array', async () => {
    const runId = await frozenRun([column('a'), column('b')], []);
    expect(await exported(runId, 'csv')).toBe('"a","b"\r\n');
    expect(JSON.parse(await exported(runId, 'json'))).toEqual([]);
  });

  it('is read in any byte range, across chunks', async () => {
    const rows = Array.from({ length: 4000 }, (_, n) => ({ a: `${n} ${'ø'.repeat(100)}` }));
    const runId = await frozenRun([column('a')], rows);
    const { id: exportId } = await scene.rpc.createExport(ctx, { runId, tableKey: 'leads', format: 'csv' });
    const whole = await content(exportId);
    expect(parseCsv(whole.toString()).slice(1)).toEqual(rows.map(({ a }) => [a]));
    expect(whole.length).toBeGreaterThan(3 * CHUNK_BYTES);
    expect((await content(exportId, 100_000)).equals(whole)).toBe(true);
    const edge = fc.oneof(
      fc.nat({ max: whole.length + 10 }),
      fc.constantFrom(
        Number.MAX_SAFE_INTEGER - 2 ** 21,
        0,
        CHUNK_BYTES - 1,
        CHUNK_BYTES,
        CHUNK_BYTES + 1,
        whole.length - 1,
        whole.length,
      ),
    );
    await fc.assert(
      fc.asyncProperty(edge, fc.nat({ max: 2 * CHUNK_BYTES }), async (offset, length) => {
        const { base64 } = await scene.rpc.readExport(ctx, { exportId, offset, length });
        expect(Buffer.from(base64, 'base64').equals(whole.subarray(offset, offset + length))).toBe(true);
      }),
      { numRuns: 60 },
    );
    const sizes = await test.database.query<{ size: number }>(
      ctx,
      'SELECT length(data) AS size FROM tables.export_chunks WHERE org_id = $1 AND export_id = $2 ORDER BY chunk_no',
      [ctx.orgId, exportId],
    );
    expect(sizes.slice(0, -1).every(({ size }) => size === CHUNK_BYTES)).toBe(true);
  });

  it('is read at most 1 MiB at once', async () => {
    const rows = Array.from({ length: 50 }, () => ({ a: 'x'.repeat(30_000) }));
    const runId = await frozenRun([column('a')], rows);
    const { id: exportId } = await scene.rpc.createExport(ctx, { runId, tableKey: 'leads', format: 'json' });
    const { base64 } = await scene.rpc.readExport(ctx, { exportId, offset: 5, length: 10 ** 9 });
    expect(Buffer.from(base64, 'base64')).toHaveLength(1024 * 1024);
  });

  it('expires after 30 days, and the reaper deletes all its bytes and no others', async () => {
    const runId = await frozenRun([column('a')], [{ a: 1 }]);
    const make = async () =>
      (await scene.rpc.createExport(ctx, { runId, tableKey: 'leads', format: 'csv' })).id;
    const [old, fresh] = [await make(), await make()];
    const life = await test.database.queryOne(
      ctx,
      "SELECT expires_at - created_at = interval '30 days' AS right FROM tables.exports WHERE id = $1",
      [old],
    );
    expect(life).toEqual({ right: true });
    await test.database.query(ctx, 'UPDATE tables.exports SET expires_at = clock_timestamp() WHERE id = $1', [
      old,
    ]);
    expect((await refusal(scene.rpc.getExport(ctx, { exportId: old }))).code).toBe('export_not_found');
    const read = scene.rpc.readExport(ctx, { exportId: old, offset: 0, length: 1 });
    expect((await refusal(read)).code).toBe('export_not_found');
    expect(await deleteExpiredExports(test.database, testCtx(''))).toBe(1);
    expect(await deleteExpiredExports(test.database, testCtx(''))).toBe(0);
    const left = await test.database.query<{ export_id: string }>(
      ctx,
      'SELECT DISTINCT export_id FROM tables.export_chunks WHERE export_id = ANY($1)',
      [[old, fresh]],
    );
    expect(left).toEqual([{ export_id: fresh }]);
    expect((await content(fresh)).toString()).toBe('"a"\r\n"1"\r\n');
  });

  it('checks the run before the table', async () => {
    const runId = scene.addRun(ctx);
    const make = (run: string) => scene.rpc.createExport(ctx, { runId: run, tableKey: 'x', format: 'csv' });
    expect((await refusal(make(newId('run')))).code).toBe('run_not_found');
    expect((await refusal(make(runId))).code).toBe('table_not_found');
  });
});
