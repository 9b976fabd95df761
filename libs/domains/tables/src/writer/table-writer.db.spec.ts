import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FitStatus, RowJson } from '@quarry/dto';
import { newId } from '@quarry/app';
import type { TxCtx } from '@quarry/postgres';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { cell, column, fit, json, newTable, openScene, type Scene } from '../spec-kit.js';

const ctx = testCtx('org_writer');
const STATUSES: FitStatus[] = ['qualified', 'disqualified', 'unknown'];

/** Number of table rows that this transaction has read so far, with any plan. */
const ROWS_READ =
  "SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE schemaname = 'tables' AND relname = 'rows'";

describe('writing a live table', () => {
  const test = useTestDatabase();
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(test.database);
  });

  async function rowsOf(tableId: string): Promise<RowJson[]> {
    const rows: RowJson[] = [];
    for await (const batch of scene.reader.readRows(ctx, tableId, { batchSize: 3 })) rows.push(...batch);
    return rows;
  }

  it('creates a table once, however often the step is replayed', async () => {
    const workspaceId = await scene.writer.createWorkspace(ctx, 'Spec');
    const tableId = newId('tbl');
    for (let replay = 0; replay < 3; replay += 1) {
      await test.database.transaction(ctx, async (tx) => {
        await scene.writer.createTable(tx, {
          id: tableId,
          workspaceId,
          name: `Try ${replay}`,
          columns: [column('a')],
        });
        await scene.writer.appendRows(tx, tableId, [{ id: `row_${replay}`, values: { a: replay } }]);
      });
    }
    expect(await scene.reader.getTable(ctx, tableId)).toMatchObject({ name: 'Try 0', rowCount: 3 });
    expect(await scene.writer.workspaceExists(ctx, workspaceId)).toBe(true);
  });

  it('reads only the rows it writes in a new table, for which there are no statistics yet', async () => {
    const ROWS = 500;
    const readSoFar = async (tx: TxCtx): Promise<number> =>
      Number((await test.database.queryOne(tx, ROWS_READ))!.rows);
    // PostgreSQL's estimates for a table depend on the writes to the tables before it.
    for (let tables = 0; tables < 4; tables += 1) {
      const { tableId } = await newTable(scene, ctx, [column('a')]);
      const ids = Array.from({ length: ROWS }, () => newId('row'));
      await test.database.transaction(ctx, async (tx) => {
        const { writer } = scene;
        const rowsOfAll = <T>(more: T) => ids.map((id) => ({ id, ...more }));
        const works: Record<string, () => Promise<unknown>> = {
          append: () => writer.appendRows(tx, tableId, rowsOfAll({ values: { a: 1 } })),
          fit: () => writer.setFit(tx, tableId, rowsOfAll({ fit: fit('qualified') })),
          update: () => writer.updateRows(tx, tableId, rowsOfAll({ values: { a: 2 } })),
          arrange: () => writer.arrangeRows(tx, tableId, ids),
        };
        for (const [name, work] of Object.entries(works)) {
          const before = await readSoFar(tx);
          await work();
          const perRow = ((await readSoFar(tx)) - before) / ROWS;
          // With joins, each row read a quarter of the rows of the table.
          expect({ name, perRow: perRow <= 4 ? 'few' : perRow }).toEqual({ name, perRow: 'few' });
        }
      });
    }
  });

  it('keeps nothing of a failed transaction', async () => {
    const { tableId } = await newTable(scene, ctx, [column('a')]);
    const work = test.database.transaction(ctx, async (tx) => {
      await scene.writer.appendRows(tx, tableId, [
        { id: newId('row'), values: { a: 1 }, fit: fit('qualified') },
      ]);
      throw new Error('stop');
    });
    await expect(work).rejects.toThrow('stop');
    expect(await scene.reader.getTable(ctx, tableId)).toMatchObject({
      rowCount: 0,
      fitCounts: { qualified: 0 },
    });
  });

  it('does not duplicate a row that is appended again, alone, in another order or with new ones', async () => {
    const { tableId } = await newTable(scene, ctx, [column('a')]);
    const row = (n: number) => ({ id: `row_${n}`, values: { a: n }, fit: fit('qualified') });
    const again = [row(2), row(3), row(3), row(1), row(4)];
    for (const rows of [[row(1), row(2)], [row(1), row(2)], again])
      await scene.writer.appendRows(ctx, tableId, rows);
    expect((await rowsOf(tableId)).map(({ id }) => id)).toEqual(['row_1', 'row_2', 'row_3', 'row_4']);
    expect(await scene.reader.getTable(ctx, tableId)).toMatchObject({
      rowCount: 4,
      fitCounts: { qualified: 4 },
    });
  });

  it('gives concurrent appends separate positions and counts all rows', async () => {
    const { tableId } = await newTable(scene, ctx, [column('a')]);
    await Promise.all(
      Array.from({ length: 8 }, (_, writer) =>
        scene.writer.appendRows(
          ctx,
          tableId,
          Array.from({ length: 20 }, (_, n) => ({
            id: `row_${writer % 4}_${n}`,
            values: {},
            fit: fit('qualified'),
          })),
        ),
      ),
    );
    expect(await rowsOf(tableId)).toHaveLength(80);
    expect(await scene.reader.getTable(ctx, tableId)).toMatchObject({
      rowCount: 80,
      fitCounts: { qualified: 80 },
    });
  });

  it('merges values and cells key by key, also for several changes of one row', async () => {
    const { tableId } = await newTable(scene, ctx, [column('a'), column('b')]);
    await scene.writer.appendRows(ctx, tableId, [
      { id: 'row_1', values: { a: 1 }, cells: { a: cell('filled') } },
      { id: 'row_2', values: {} },
    ]);
    await scene.writer.updateRows(ctx, tableId, [
      { id: 'row_1', values: { b: 'x' }, cells: { b: cell('empty') } },
      { id: 'row_1', values: { a: null } },
      { id: 'row_9', values: { a: 'nobody' } },
    ]);
    expect(await rowsOf(tableId)).toEqual([
      {
        id: 'row_1',
        values: { a: null, b: 'x' },
        cells: { a: cell('filled'), b: cell('empty') },
        fit: { status: 'unknown', score: null, reason: null, criteria: [] },
      },
      expect.objectContaining({ id: 'row_2', values: { a: null, b: null }, cells: {} }),
    ]);
  });

  it('marks pending cells as skipped with a reason, and leaves all others', async () => {
    const { tableId } = await newTable(scene, ctx, [column('a'), column('b')]);
    await scene.writer.appendRows(ctx, tableId, [
      { id: 'row_1', values: { a: 1 }, cells: { a: cell('filled'), b: cell('pending') } },
      { id: 'row_2', values: { a: 1 }, cells: { a: cell('failed') } },
      { id: 'row_3', values: { a: 1 } },
    ]);
    const error = { code: 'cancelled', message: 'The run was cancelled.' };
    await scene.writer.skipPending(ctx, tableId, error);
    const skipped = { ...cell('skipped'), error, updated_at: expect.any(String) };
    expect((await rowsOf(tableId)).map(({ cells }) => cells)).toEqual([
      { a: cell('filled'), b: skipped },
      { a: cell('failed') },
      {},
    ]);
  });

  it('skips nothing in a missing table or an archived workspace, so that its run can end', async () => {
    const { workspaceId, tableId } = await newTable(scene, ctx, [column('a')]);
    await scene.rpc.archiveWorkspace(ctx, { workspaceId });
    for (const id of [tableId, newId('tbl')])
      await scene.writer.skipPending(ctx, id, { code: 'cancelled', message: 'The run was cancelled.' });
  });

  it('keeps the named rows with their cells, in the given order, and counts them', async () => {
    const { tableId } = await newTable(scene, ctx, [column('a')]);
    const fit = (status: 'qualified' | 'disqualified') => ({
      status,
      score: null,
      reason: null,
      criteria: [],
    });
    await scene.writer.appendRows(ctx, tableId, [
      { id: 'row_1', values: { a: 1 }, cells: { a: cell('filled') }, fit: fit('qualified') },
      { id: 'row_2', values: { a: 2 }, fit: fit('qualified') },
      { id: 'row_3', values: { a: 3 }, fit: fit('disqualified') },
    ]);
    const ids = ['row_3', 'row_9', 'row_1', 'row_3'];
    await scene.writer.arrangeRows(ctx, tableId, ids);
    // A repeated call changes nothing.
    await scene.writer.arrangeRows(ctx, tableId, ids);
    const rows = await rowsOf(tableId);
    expect(rows.map(({ id, values }) => [id, values.a])).toEqual([
      ['row_3', 3],
      ['row_1', 1],
    ]);
    expect(rows[1]!.cells).toEqual({ a: cell('filled') });
    expect(await scene.reader.getTable(ctx, tableId)).toMatchObject({
      rowCount: 2,
      fitCounts: { qualified: 1, disqualified: 1, unknown: 0 },
    });
    // New rows follow the remaining ones.
    await scene.writer.appendRows(ctx, tableId, [{ id: 'row_4', values: { a: 4 } }]);
    expect((await rowsOf(tableId)).map(({ id }) => id)).toEqual(['row_3', 'row_1', 'row_4']);
  });

  it('refuses a value for an unknown column', async () => {
    const { tableId } = await newTable(scene, ctx, [column('a')]);
    const stray = scene.writer.appendRows(ctx, tableId, [{ id: 'row_1', values: { z: 1 } }]);
    await expect(stray).rejects.toThrow('no column z');
  });

  it('adds columns once, null in every row', async () => {
    const { tableId } = await newTable(scene, ctx, [column('a')]);
    await scene.writer.appendRows(ctx, tableId, [{ id: 'row_1', values: { a: 1 } }]);
    await scene.writer.addColumns(ctx, tableId, [column('b', 'email')]);
    await scene.writer.updateRows(ctx, tableId, [{ id: 'row_1', values: { b: 'x@y.io' } }]);
    await scene.writer.addColumns(ctx, tableId, [column('b', 'text'), column('c')]);
    expect((await scene.reader.getTable(ctx, tableId)).columns).toEqual([
      column('a'),
      column('b', 'email'),
      column('c'),
    ]);
    expect((await rowsOf(tableId))[0]!.values).toEqual({ a: 1, b: 'x@y.io', c: null });
  });

  it('removes characters that PostgreSQL refuses from found text', async () => {
    const { tableId } = await newTable(scene, ctx, [column('a')]);
    const values = { a: ['x\0y', '\ud800', '\\u0000', { '\0k': 1 }] };
    await scene.writer.appendRows(ctx, tableId, [{ id: 'row_1', values }]);
    expect((await rowsOf(tableId))[0]!.values).toEqual({ a: ['xy', '\ufffd', '\\u0000', { k: 1 }] });
  });

  it('keeps row and fit counts correct after any series of writes', async () => {
    const ids = fc.array(fc.nat({ max: 15 }), { maxLength: 8 });
    const status = fc.constantFrom(...STATUSES);
    const step = fc.oneof(
      fc.record({ do: fc.constant('append' as const), ids, status: fc.option(status) }),
      fc.record({ do: fc.constant('fit' as const), ids, status }),
      fc.record({ do: fc.constant('update' as const), ids, status }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { tableId } = await newTable(scene, ctx, [column('a')]);
        for (const { do: what, ids, status } of steps) {
          const named = ids.map((n) => ({ id: `row_${n}` }));
          if (what === 'append')
            await scene.writer.appendRows(
              ctx,
              tableId,
              named.map((row) => ({ ...row, values: {}, ...(status ? { fit: fit(status) } : {}) })),
            );
          else if (what === 'fit')
            await scene.writer.setFit(
              ctx,
              tableId,
              named.map((row) => ({ ...row, fit: fit(status) })),
            );
          else
            await scene.writer.updateRows(
              ctx,
              tableId,
              named.map((row) => ({ ...row, values: { a: status } })),
            );
        }
        const rows = await rowsOf(tableId);
        const count = (wanted: FitStatus) => rows.filter((row) => row.fit.status === wanted).length;
        expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
        expect(await json(scene.rpc.getTable(ctx, { tableId }))).toMatchObject({
          row_count: rows.length,
          fit_counts: {
            qualified: count('qualified'),
            disqualified: count('disqualified'),
            unknown: count('unknown'),
          },
        });
      }),
      { numRuns: 40 },
    );
  });

  it('profiles a table by its most frequent values, without prose, lists or nulls', async () => {
    const columns = [column('city'), column('year', 'number'), column('note'), column('tags', 'list')];
    const { tableId } = await newTable(scene, ctx, columns);
    const cities = ['Bergen', 'Oslo', 'Oslo', null];
    const numbered = Array.from({ length: 1001 }, (_, year) => ({ city: cities[year] ?? null, year }));
    await scene.writer.appendRows(
      ctx,
      tableId,
      numbered.map((values, n) => ({
        id: `row_${n}`,
        values: { ...values, note: 'x'.repeat(500), tags: ['a'] },
      })),
    );
    const { values, ...facts } = await scene.reader.profileTable(ctx, tableId);
    expect(facts).toEqual({ id: tableId, name: 'Leads', columns, rowCount: 1001 });
    const none = { values: [], isComplete: true };
    expect(values).toMatchObject({
      city: { values: ['Oslo', 'Bergen'], isComplete: true },
      note: none,
      tags: none,
    });
    expect([values['year']!.values.length, values['year']!.isComplete]).toEqual([1000, false]);
  });

  it("lists one table per name: the workspace's own first, then the newest", async () => {
    const make = async (workspaceId: string, name: string): Promise<string> => {
      const id = newId('tbl');
      await scene.writer.createTable(ctx, { id, workspaceId, name, columns: [column('a')] });
      return id;
    };
    const here = (await newTable(scene, ctx, [column('a')])).workspaceId;
    const there = (await newTable(scene, ctx, [column('a')])).workspaceId;
    const [, own] = [await make(here, 'Both'), await make(here, 'Both')];
    const elsewhere = await make(there, 'both');
    const [, newest] = [await make(there, 'Elsewhere'), await make(there, 'elsewhere')];
    const named = async (workspaceId: string, name: string) =>
      (await scene.reader.listNames(ctx, workspaceId)).filter((table) => table.name.toLowerCase() === name);
    expect(await named(here, 'both')).toEqual([{ id: own, name: 'Both' }]);
    expect(await named(there, 'both')).toEqual([{ id: elsewhere, name: 'both' }]);
    expect(await named(here, 'elsewhere')).toEqual([{ id: newest, name: 'elsewhere' }]);
  });
});
