import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newId, type Ctx } from '@quarry/app';
import type { Database, Statement } from '@quarry/postgres';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { cellFault } from './import/cell-fault.js';
import { json, openScene, refusal, type Scene } from './spec-kit.js';

const ctx = testCtx('org_import');

interface Row {
  id: string;
  values: Record<string, unknown>;
  cells: unknown;
  fit: unknown;
}
interface Page {
  items: Row[];
  next_cursor: string | null;
}

describe('importing a table', () => {
  const test = useTestDatabase();
  let scene: Scene;
  let workspaceId: string;

  beforeAll(async () => {
    scene = await openScene(test.database);
    workspaceId = String((await json(scene.rpc.createWorkspace(ctx, { name: 'Imports' }))).id);
  });

  const importJson = (value: unknown) =>
    scene.rpc.importTable(ctx, { workspaceId, body: JSON.stringify(value) });

  async function allRows(tableId: string, limit: number): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | null = null; ;) {
      const page: Page = await json<Page>(scene.rpc.listRows(ctx, { tableId, limit, cursor }));
      rows.push(...page.items);
      expect(page.items.length).toBeLessThanOrEqual(limit);
      if (page.next_cursor === null) return rows;
      expect(page.items).toHaveLength(limit);
      cursor = page.next_cursor;
    }
  }

  it('returns the Table exactly as the contract shows it, and the same when it is read', async () => {
    const made = await importJson({
      name: 'Leads',
      columns: [
        { key: 'company', name: 'Company' },
        {
          key: 'staff',
          name: 'Staff',
          kind: 'number',
          qualification: { criterion: 'Over 50', effect: 'require' },
        },
      ],
      rows: [{ company: 'Acme', staff: 12 }, { company: null }],
    });
    const table = JSON.parse(made.json) as Record<string, unknown>;
    expect(table).toEqual({
      id: made.id,
      workspace_id: workspaceId,
      name: 'Leads',
      columns: [
        { key: 'company', name: 'Company', kind: 'text', qualification: {} },
        {
          key: 'staff',
          name: 'Staff',
          kind: 'number',
          qualification: { criterion: 'Over 50', effect: 'require' },
        },
      ],
      row_count: 2,
      fit_counts: { qualified: 0, disqualified: 0, unknown: 2 },
      links: { self: `/v1/tables/${made.id}`, rows: `/v1/tables/${made.id}/rows` },
    });
    expect(await json(scene.rpc.getTable(ctx, { tableId: made.id }))).toEqual(table);
    const list = await json<{ items: unknown[] }>(
      scene.rpc.listTables(ctx, { workspaceId, limit: 1000, offset: 0 }),
    );
    expect(list.items).toContainEqual(table);
    expect(await allRows(made.id, 10)).toEqual(
      [
        { company: 'Acme', staff: 12 },
        { company: null, staff: null },
      ].map((values) => ({
        id: expect.stringMatching(/^row_[0-9a-z]{26}$/),
        values,
        cells: {},
        fit: { status: 'unknown', score: null, reason: null, criteria: [] },
      })),
    );
  });

  it('keeps every JSON value, in the order sent, for every page size', async () => {
    const cell = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }).filter((value) => cellFault(value) === null),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\\', '\\.', '\t', '\n', '\\N', '\r\n', '"', "'", '\\u0000', ''),
    );
    const keys = fc.uniqueArray(fc.constantFrom('a', 'constructor', 'b\tc', '\\', '"q"', '🦊', 'toString'), {
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(
        keys,
        fc.array(fc.array(cell, { maxLength: 7 }), { maxLength: 25 }),
        async (keys, cells) => {
          const rows = cells.map((row) => Object.fromEntries(keys.map((key, at) => [key, row[at] ?? null])));
          const columns = keys.map((key) => ({ key, name: key }));
          const made = await importJson({ name: 'Any', columns, rows });
          const expected = JSON.parse(JSON.stringify(rows)) as unknown[];
          for (const limit of [1, 2, 7, 24, 25, 26, 1000])
            expect((await allRows(made.id, limit)).map(({ values }) => values)).toEqual(expected);
          expect(JSON.parse(made.json)).toMatchObject({ row_count: rows.length });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('never confuses similarly written keys, whatever was parsed before', async () => {
    for (let round = 0; round < 3; round += 1) {
      // A key that V8 has not seen: it confuses keys only while it expects a single next key.
      const first = newId('row');
      const columns = [first, '\\', '"', '\n'].map((key) => ({ key, name: 'k' }));
      const rows = [{ '\\': 1 }, { '"': 'quote' }, { '\n': 'line' }, { '\\': 1, '"': 2, '\n': 3 }];
      const { id } = await importJson({
        name: 'Keys',
        columns,
        rows: rows.map((row) => ({ [first]: [], ...row })),
      });
      // Checked in PostgreSQL: parsing the response here could confuse the keys as well.
      const stored = await test.database.query<{ cells: string }>(
        ctx,
        `SELECT concat_ws('|', coalesce(cell_values->>'\\', '-'), coalesce(cell_values->>'"', '-'),
                coalesce(cell_values->>E'\\n', '-')) AS cells
         FROM tables.rows WHERE row_set = (SELECT row_set FROM tables.tables WHERE id = $1) ORDER BY position`,
        [id],
      );
      expect(stored.map(({ cells }) => cells)).toEqual(['1|-|-', '-|quote|-', '-|-|line', '1|2|3']);
    }
  });

  it('is repeated for an equal JSON body, however it is written, and conflicts with any other', async () => {
    const send = (body: string) =>
      scene.rpc.importTable(ctx, { workspaceId, body, idempotencyKey: 'import-1' });
    const made = await send(
      '{"name":"Once","columns":[{"key":"a","name":"A"},{"key":"b","name":"B"}],"rows":[{"a":1,"b":"x"},{}]}',
    );
    const again = await send(
      '{ "rows": [{"b":"\\u0078","a":1.0}, { }],\n "columns": [{"name":"A","key":"a"},{"key":"b","name":"B"}], "name": "Once"}',
    );
    expect(again).toEqual(made);
    for (const other of ['[{"a":1,"b":"x"}]', '[{},{"a":1,"b":"x"}]', '[{"a":1,"b":"y"},{}]'])
      expect(
        await refusal(
          send(`{"name":"Once","columns":[{"key":"a","name":"A"},{"key":"b","name":"B"}],"rows":${other}}`),
        ),
      ).toMatchObject({ code: 'idempotency_conflict' });
  });

  it('leaves nothing behind if its last row is invalid', async () => {
    const count = () =>
      test.database.queryOne(
        ctx,
        'SELECT (SELECT count(*) FROM tables.tables) AS tables, (SELECT count(*) FROM tables.rows) AS rows',
      );
    const before = await count();
    const rows: unknown[] = Array.from({ length: 20_000 }, (_, i) => ({ a: i }));
    rows.push({ b: 1 });
    const answer = await refusal(importJson({ name: 'n', columns: [{ key: 'a', name: 'A' }], rows }));
    expect(answer).toMatchObject({ code: 'invalid_request', details: [{ path: 'rows[20000].b' }] });
    expect(await count()).toEqual(before);
  });

  it('leaves nothing behind if the database refuses its last row', async () => {
    await test.asOwner(
      `ALTER TABLE tables.rows ADD CONSTRAINT refuse CHECK (cell_values->>'a' IS DISTINCT FROM 'refuse me')`,
    );
    const rows = [...Array.from({ length: 20_000 }, (_, i) => ({ a: i })), { a: 'refuse me' }];
    await expect(importJson({ name: 'atomic', columns: [{ key: 'a', name: 'A' }], rows })).rejects.toThrow(
      'refuse',
    );
    const names = (await scene.reader.listNames(ctx, workspaceId)).map(({ name }) => name);
    expect(names).not.toContain('atomic');
    const orphans = await test.database.query(
      ctx,
      'SELECT 1 FROM tables.rows r WHERE NOT EXISTS (SELECT 1 FROM tables.tables t WHERE t.row_set = r.row_set) LIMIT 1',
    );
    expect(orphans).toEqual([]);
    await test.asOwner('ALTER TABLE tables.rows DROP CONSTRAINT refuse');
  });

  it('does not block readers during concurrent imports, and is visible only when complete', async () => {
    const columns = [{ key: 'a', name: 'A' }];
    const { id: tableId } = await importJson({ name: 'read', columns, rows: [{ a: 1 }, { a: 2 }] });
    const expected = await scene.rpc.listRows(ctx, { tableId, limit: 10, cursor: null });
    const rows = Array.from({ length: 30_000 }, (_, i) => ({ a: `value ${i}` }));
    let running = 2;
    const imports = ['left', 'right'].map((name) =>
      importJson({ name, columns, rows }).finally(() => (running -= 1)),
    );
    let reads = 0;
    for (; running > 0; reads += 1) {
      expect(await scene.rpc.listRows(ctx, { tableId, limit: 10, cursor: null })).toEqual(expected);
      for (const { id, name } of await scene.reader.listNames(ctx, workspaceId))
        if (name === 'left' || name === 'right')
          expect((await scene.reader.getTable(ctx, id)).rowCount).toBe(rows.length);
    }
    // A read that waited for the imports would be the only one.
    expect(reads).toBeGreaterThan(1);
    for (const { id } of await Promise.all(imports))
      expect(await scene.reader.getTable(ctx, id)).toMatchObject({ rowCount: rows.length });
  });

  it('validates the body before it looks up the workspace', async () => {
    const body = JSON.stringify({ name: '', columns: [{ key: 'a', name: 'A' }], rows: [] });
    const nowhere = newId('ws');
    expect((await refusal(scene.rpc.importTable(ctx, { workspaceId: nowhere, body }))).code).toBe(
      'invalid_request',
    );
    const good = body.replace('""', '"n"');
    expect((await refusal(scene.rpc.importTable(ctx, { workspaceId: nowhere, body: good }))).code).toBe(
      'workspace_not_found',
    );
  });

  it('refuses cursors of another table, organisation or list, and forged ones', async () => {
    const body = { name: 'n', columns: [{ key: 'a', name: 'A' }], rows: [{ a: 1 }, { a: 2 }] };
    const [one, two] = [await importJson(body), await importJson(body)];
    const rows = (tableId: string, cursor: string | null, as = ctx) =>
      scene.rpc.listRows(as, { tableId, limit: 1, cursor });
    const { next_cursor: cursor } = await json<Page>(rows(one.id, null));
    expect((await json<Page>(rows(one.id, cursor))).items).toMatchObject([{ values: { a: 2 } }]);
    expect((await refusal(rows(two.id, cursor))).code).toBe('invalid_cursor');
    expect((await refusal(rows(one.id, cursor, testCtx('org_other')))).code).toBe('table_not_found');
    for (const forged of ['', 'x', `${cursor}A`, cursor!.slice(1), 'A'.repeat(1_000_000), '\0', '\ud800'])
      expect((await refusal(rows(one.id, forged))).code).toBe('invalid_cursor');
    const runId = scene.addRun(ctx);
    await test.database.transaction(ctx, (tx) =>
      scene.freezer.freezeTable(tx, { runId, tableId: one.id, key: 'k' }),
    );
    const frozen = scene.rpc.listFrozenRows(ctx, { runId, tableKey: 'k', limit: 1, cursor });
    expect((await refusal(frozen)).code).toBe('invalid_cursor');
  });

  it('reads no more rows for a late page than for the first, even before the table has statistics', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ a: i }));
    const { id: tableId } = await importJson({ name: 'long', columns: [{ key: 'a', name: 'A' }], rows });
    let statement: { text: string; params: unknown[] } | null = null;
    const watched = await openScene(
      new Proxy(test.database, {
        get: (target, name: keyof Database) =>
          name === 'query'
            ? (as: Ctx, sql: Statement, params: unknown[]) => {
                statement = { text: sql.text, params };
                return target.query(as, sql, params);
              }
            : target[name],
      }),
    );
    let cursor: string | null = null;
    for (let page = 0; page < 5; page += 1) {
      const read: Page = await json<Page>(watched.rpc.listRows(ctx, { tableId, limit: 1000, cursor }));
      cursor = read.next_cursor;
      const { text, params } = statement!;
      const [plan] = await test.database.query<{ 'QUERY PLAN': unknown }>(
        ctx,
        `EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) ${text}`,
        params,
      );
      const counts = [...JSON.stringify(plan).matchAll(/"Actual Rows":(\d+)/g)].map(([, count]) =>
        Number(count),
      );
      expect(Math.max(...counts)).toBe(1000);
    }
  });
});
