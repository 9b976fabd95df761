import { beforeAll, describe, expect, it } from '@jest/globals';
import { cellOf, type CreateViewRequest, type RowJson } from '@quarry/dto';
import { isId, newId, type Ctx } from '@quarry/app';
import { declaredStatements, tenantOf } from '@quarry/postgres';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { column, fit, json, newTable, openScene, refusal, type Scene } from '../spec-kit.js';

interface Window {
  items: RowJson[];
  from: number;
  row_count: number;
  revision: number;
}

const ctx = testCtx('org_views');
const COLUMNS = [
  column('name'),
  column('staff', 'number'),
  column('founded', 'date'),
  column('tags', 'list'),
  column('office', 'object'),
];
const ROWS: Array<Record<string, unknown>> = [
  { name: 'Zürich AG', staff: 9, founded: '1990-01-01', tags: ['Bank'] },
  { name: 'acme', staff: 100, founded: '2001-05-05', tags: [] },
  { name: 'Acme Two', staff: null, founded: null, tags: ['Software', 'Cloud'] },
  { name: null, staff: 20, founded: '2010-10-10', tags: null, office: '[Bern]' },
  { name: 'Beta', staff: 100, founded: '1985-02-02', tags: ['Cloud'] },
];

describe('a window of a live table', () => {
  const test = useTestDatabase();
  let scene: Scene;
  let tableId: string;
  let rowIds: string[];

  beforeAll(async () => {
    scene = await openScene(test.database);
    ({ tableId } = await newTable(scene, ctx, COLUMNS));
    rowIds = ROWS.map(() => newId('row'));
    await scene.writer.appendRows(
      ctx,
      tableId,
      ROWS.map((values, i) => ({ id: rowIds[i]!, values })),
    );
    await scene.writer.setFit(ctx, tableId, [
      { id: rowIds[1]!, fit: fit('qualified') },
      { id: rowIds[4]!, fit: fit('disqualified') },
    ]);
  });

  const read = (from: number, count: number, viewId: string | null = null, who: Ctx = ctx) =>
    json<Window>(scene.rpc.readWindow(who, { tableId, from, count, viewId }));
  const make = (view: CreateViewRequest, who: Ctx = ctx) => scene.rpc.createView(who, { tableId, view });
  /** Returns the names of the rows that a view shows, in its order. */
  const shown = async (view: CreateViewRequest) => {
    const { id } = await make(view);
    return (await read(0, 500, id)).items.map(({ values }) => values['name']);
  };

  it('shows rows like the list does, from any position, with the total count', async () => {
    const listed = await json<{ items: RowJson[] }>(
      scene.rpc.listRows(ctx, { tableId, limit: 100, cursor: null }),
    );
    const window = await read(1, 3);
    expect(Object.keys(window)).toEqual(['items', 'from', 'row_count', 'revision']);
    expect(window.items).toEqual(listed.items.slice(1, 4));
    expect([window.from, window.row_count]).toEqual([1, 5]);
    expect((await read(5, 10)).items).toEqual([]);
    expect((await read(2_000_000_000, 500)).items).toEqual([]);
  });

  it('has a revision that rises with every change', async () => {
    const before = (await read(0, 1)).revision;
    await scene.writer.updateRows(ctx, tableId, [{ id: rowIds[0]!, values: { staff: 9 } }]);
    expect((await read(0, 1)).revision).toBeGreaterThan(before);
  });

  describe('through a view', () => {
    it.each<[string, CreateViewRequest, unknown[]]>([
      [
        'text regardless of case and accents, nulls last',
        { sort: [{ key: 'name', direction: 'asc' }] },
        ['acme', 'Acme Two', 'Beta', 'Zürich AG', null],
      ],
      [
        'nulls last in descending order, too',
        { sort: [{ key: 'name', direction: 'desc' }] },
        ['Zürich AG', 'Beta', 'Acme Two', 'acme', null],
      ],
      [
        'numbers numerically, equal ones in table order',
        { sort: [{ key: 'staff', direction: 'asc' }] },
        ['Zürich AG', null, 'acme', 'Beta', 'Acme Two'],
      ],
      [
        'by several columns',
        {
          sort: [
            { key: 'staff', direction: 'desc' },
            { key: 'founded', direction: 'asc' },
          ],
        },
        ['Beta', 'acme', null, 'Zürich AG', 'Acme Two'],
      ],
    ])('is sorted: %s', async (_what, view, names) => {
      expect(await shown(view)).toEqual(names);
    });

    it.each<[string, NonNullable<CreateViewRequest['filter']>, unknown[]]>([
      ['eq', [{ key: 'name', op: 'eq', value: 'ZURICH ag' }], ['Zürich AG']],
      ['ne, with nulls', [{ key: 'name', op: 'ne', value: 'acme' }], ['Zürich AG', 'Acme Two', null, 'Beta']],
      ['contains', [{ key: 'name', op: 'contains', value: 'ACME' }], ['acme', 'Acme Two']],
      ['contains, in a list', [{ key: 'tags', op: 'contains', value: 'cloud' }], ['Acme Two', 'Beta']],
      ['gt', [{ key: 'staff', op: 'gt', value: 20 }], ['acme', 'Beta']],
      ['gte', [{ key: 'staff', op: 'gte', value: 20 }], ['acme', null, 'Beta']],
      ['lt, of dates', [{ key: 'founded', op: 'lt', value: '1990-01-01' }], ['Beta']],
      ['lte', [{ key: 'founded', op: 'lte', value: '1990-01-01' }], ['Zürich AG', 'Beta']],
      ['in', [{ key: 'staff', op: 'in', value: [9, 20] }], ['Zürich AG', null]],
      ['eq of an empty text', [{ key: 'name', op: 'eq', value: '' }], [null]],
      ['ne of an empty text', [{ key: 'tags', op: 'ne', value: '' }], ['Zürich AG', 'Acme Two', 'Beta']],
      ['in, with an empty text', [{ key: 'name', op: 'in', value: ['', 'beta'] }], [null, 'Beta']],
      ['empty', [{ key: 'tags', op: 'empty' }], ['acme', null]],
      [
        'filled',
        [
          { key: 'name', op: 'filled' },
          { key: 'staff', op: 'filled' },
        ],
        ['Zürich AG', 'acme', 'Beta'],
      ],
      ['a text that looks like SQL', [{ key: 'name', op: 'eq', value: `' OR TRUE --` }], []],
    ])('leaves out rows that do not match %s', async (_op, filter, names) => {
      expect(await shown({ filter })).toEqual(names);
    });

    it('leaves out rows of another fit, and rows without the search text', async () => {
      expect(await shown({ fit: ['qualified', 'unknown'] })).toEqual(['Zürich AG', 'acme', 'Acme Two', null]);
      expect(await shown({ query: 'zurich' })).toEqual(['Zürich AG']);
      expect(await shown({ query: '2010' })).toEqual([null]);
      expect(await shown({ query: '[bern' })).toEqual([null]);
      // Only in lists.
      expect(await shown({ query: 'cloud' })).toEqual([]);
    });

    it('describes itself, and does not change while the table grows', async () => {
      const { id, json: text } = await make({ sort: [{ key: 'staff', direction: 'desc' }] });
      const view = JSON.parse(text) as Record<string, unknown>;
      expect(isId('view', id)).toBe(true);
      expect(view).toEqual({
        id,
        table_id: tableId,
        row_count: 5,
        revision: (await read(0, 1)).revision,
        expires_at: expect.stringMatching(/Z$/) as unknown,
        links: { window: `/v1/tables/${tableId}/window?view=${id}` },
      });
      const { tableId: other } = await newTable(scene, ctx, COLUMNS);
      await scene.writer.updateRows(ctx, tableId, [{ id: rowIds[0]!, values: { staff: 9 } }]);
      const window = await read(1, 2, id);
      expect(window.items.map(({ values }) => values['name'])).toEqual(['Beta', null]);
      expect([window.from, window.row_count]).toEqual([1, 5]);
      expect(window.revision).toBeGreaterThan(view['revision'] as number);
      const elsewhere = scene.rpc.readWindow(ctx, { tableId: other, from: 0, count: 1, viewId: id });
      expect((await refusal(elsewhere)).code).toBe('not_found');
    });

    it('expires an hour after its last use', async () => {
      const { id } = await make({});
      const age = (by: string) =>
        test.database.query(
          ctx,
          `UPDATE tables.views SET expires_at = expires_at - interval '${by}' WHERE id = '${id}'`,
        );
      await age('50 minutes');
      await read(0, 1, id);
      await age('50 minutes');
      expect((await read(0, 1, id)).items).toHaveLength(1);
      await age('60 minutes');
      expect((await refusal(read(0, 1, id))).code).toBe('not_found');
      await make({});
      expect(await test.database.query(ctx, `SELECT 1 FROM tables.views WHERE id = '${id}'`)).toEqual([]);
    });

    it.each<[string, CreateViewRequest]>([
      ['sort[0].key', { sort: [{ key: 'nothing', direction: 'asc' }] }],
      ['filter[0].key', { filter: [{ key: 'nothing', op: 'empty' }] }],
      ['filter[0].value', { filter: [{ key: 'staff', op: 'gt', value: 'many' }] }],
      [
        'filter[1].value',
        {
          filter: [
            { key: 'name', op: 'filled' },
            { key: 'name', op: 'in', value: 'a' },
          ],
        },
      ],
      ['filter[0].op', { filter: [{ key: 'tags', op: 'gt', value: 1 }] }],
      ['filter[0].op', { filter: [{ key: 'office', op: 'lte', value: 'x' }] }],
      ['filter[0].value', { filter: [{ key: 'office', op: 'eq', value: { city: 'Bern' } }] }],
      ['filter[0].value', { filter: [{ key: 'name', op: 'eq' }] }],
      ['filter[0].value', { filter: [{ key: 'name', op: 'empty', value: 1 }] }],
    ])('is refused, and the error names %s', async (path, view) => {
      const { code, message, details } = await refusal(make(view));
      expect([code, details?.map((each) => each.path)]).toEqual(['invalid_request', [path]]);
      expect(message).toContain(path);
    });
  });

  it('reads one row and one cell, with the job that produced the value', async () => {
    const source = { service: 'getEmail', provider: 'spec', job_id: newId('svcjob') };
    const cell = cellOf('filled', { confidence: 'high', source });
    await scene.writer.updateRows(ctx, tableId, [{ id: rowIds[1]!, cells: { name: cell } }]);
    const row = await json<RowJson>(scene.rpc.getRow(ctx, { tableId, rowId: rowIds[1]! }));
    expect(row).toMatchObject({ id: rowIds[1], values: ROWS[1], cells: { name: cell } });
    const read = await scene.rpc.getCell(ctx, { tableId, rowId: rowIds[1]!, key: 'name' });
    expect([read.value, JSON.parse(read.cell), read.jobId]).toEqual(['"acme"', cell, source.job_id]);
    const plain = await scene.rpc.getCell(ctx, { tableId, rowId: rowIds[3]!, key: 'name' });
    expect(plain).toEqual({ value: 'null', cell: 'null', jobId: null });
    for (const at of [
      { rowId: newId('row'), key: 'name' },
      { rowId: rowIds[1]!, key: 'nothing' },
      { rowId: rowIds[1]!, key: '\0' },
      { rowId: rowIds[1]!, key: 'na\0me' },
    ])
      expect((await refusal(scene.rpc.getCell(ctx, { tableId, ...at }))).code).toBe('not_found');
    expect((await refusal(scene.rpc.getRow(ctx, { tableId, rowId: newId('row') }))).code).toBe('not_found');
  });

  it('is invisible to another organisation and the other mode', async () => {
    const { id } = await make({});
    for (const who of [testCtx('org_other'), { ...ctx, mode: 'test' as const }]) {
      const calls = [
        read(0, 1, null, who),
        read(0, 1, id, who),
        make({}, who),
        scene.rpc.getRow(who, { tableId, rowId: rowIds[0]! }),
        scene.rpc.getCell(who, { tableId, rowId: rowIds[0]!, key: 'name' }),
      ];
      const codes = (await Promise.all(calls.map(refusal))).map(({ code }) => code);
      expect(codes).toEqual(calls.map(() => 'table_not_found'));
    }
  });

  it('costs the same at the hundred-thousandth row as at the first', async () => {
    const { tableId: large } = await newTable(scene, ctx, COLUMNS);
    await test.database.query(
      ctx,
      `WITH head AS (UPDATE tables.tables SET row_count = 100000 WHERE id = '${large}' RETURNING row_set)
       INSERT INTO tables.rows (org_id, row_set, position, id, cell_values)
       SELECT '${ctx.orgId}', row_set, n, 'row_' || lpad(n::text, 26, '0'), jsonb_build_object('name', 'Row ' || n, 'staff', n % 977)
       FROM head, generate_series(0, 99999) AS n`,
    );
    const { id } = await scene.rpc.createView(ctx, {
      tableId: large,
      view: { sort: [{ key: 'staff', direction: 'desc' }] },
    });
    for (const [name, ...more] of [['table-views.window'], ['table-views.viewWindow', id]]) {
      const { text } = declaredStatements().find((each) => each.name === name)!;
      const cost = async (from: number) => {
        const params = [tenantOf(ctx), large, from, 200, ...more];
        const [row] = await test.database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          ctx,
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON, TIMING OFF) ${text}`,
          params,
        );
        const { Plan: plan } = row!['QUERY PLAN'][0];
        return { blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], rows: rowsReadBy(plan) };
      };
      const [first, last] = [await cost(0), await cost(99_800)];
      // The page reads its own rows only; the rows of a view may be spread over as many blocks as there are rows.
      expect([name, first.rows, last.rows]).toEqual([name, 200, 200]);
      expect(last.blocks).toBeLessThan(first.blocks + 200);
    }
  });
});

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/** Returns the number of table rows that a plan has read. */
function rowsReadBy(plan: PlanNode): number {
  const own =
    plan['Relation Name'] === 'rows'
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0;
  return own + (plan.Plans ?? []).reduce((sum, each) => sum + rowsReadBy(each), 0);
}
