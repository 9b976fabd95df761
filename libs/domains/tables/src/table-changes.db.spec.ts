import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ColumnJson, RowJson } from '@quarry/dto';
import { newId } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { tableRetention } from './archived-workspaces.js';
import { cell, column, json, newTable, openScene, refusal, type Scene } from './spec-kit.js';

const ctx = testCtx('org_changes');

interface Seen {
  name: string;
  columns: ColumnJson[];
}

describe('changes of live tables', () => {
  const test = useTestDatabase();
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(test.database);
  });

  /** Creates a table with the columns name and email, and one row. */
  async function people(): Promise<{ workspaceId: string; tableId: string; rowId: string }> {
    const ids = await newTable(scene, ctx, [column('name'), column('email', 'email')]);
    const rowId = newId('row');
    const values = { name: 'Zoe', email: 'zoe@acme.example' };
    await scene.writer.appendRows(ctx, ids.tableId, [
      { id: rowId, values, cells: { email: cell('filled') } },
    ]);
    return { ...ids, rowId };
  }

  const rowsOf = async (tableId: string): Promise<RowJson[]> =>
    (await json<{ items: RowJson[] }>(scene.rpc.listRows(ctx, { tableId, limit: 10, cursor: null }))).items;
  const revisionOf = async (tableId: string): Promise<number> =>
    (
      await json<{ revision: number }>(
        scene.rpc.readWindow(ctx, { tableId, from: 0, count: 1, viewId: null }),
      )
    ).revision;
  const exported = (tableId: string) =>
    scene.rpc.createTableExport(ctx, { tableId, body: { format: 'csv' } });

  it('rename the table or a column, whose key stays, and raise the revision', async () => {
    const { tableId } = await people();
    const before = await revisionOf(tableId);
    expect(await json(scene.rpc.renameTable(ctx, { tableId, name: 'Friends' }))).toMatchObject({
      name: 'Friends',
    });
    const { columns } = await json<Seen>(
      scene.rpc.renameColumn(ctx, { tableId, key: 'email', name: 'Work email' }),
    );
    expect(columns).toEqual([column('name'), { ...column('email', 'email'), name: 'Work email' }]);
    expect(await revisionOf(tableId)).toBe(before + 2);
    expect(await rowsOf(tableId)).toMatchObject([{ values: { name: 'Zoe', email: 'zoe@acme.example' } }]);
  });

  it('delete a column with its values and their sources, which a later column of the same key does not show', async () => {
    const { tableId, rowId } = await people();
    const before = await revisionOf(tableId);
    const { columns } = await json<Seen>(scene.rpc.deleteColumn(ctx, { tableId, key: 'email' }));
    expect(columns).toEqual([column('name')]);
    expect(await revisionOf(tableId)).toBe(before + 1);
    expect(await rowsOf(tableId)).toMatchObject([{ values: { name: 'Zoe' }, cells: {} }]);
    expect((await refusal(scene.rpc.getCell(ctx, { tableId, rowId, key: 'email' }))).code).toBe('not_found');
    const stored = await test.database.queryOne(
      ctx,
      'SELECT concat(cell_values, cells) AS text FROM tables.rows WHERE id = $1',
      [rowId],
    );
    expect(stored).toEqual({ text: '{"name": "Zoe"}{}' });
    await scene.writer.addColumns(ctx, tableId, [column('email')]);
    expect(await rowsOf(tableId)).toMatchObject([{ values: { name: 'Zoe', email: null }, cells: {} }]);
  });

  it('refuse the last column, an unknown one, and one that is being filled', async () => {
    const { tableId } = await people();
    const remove = (key: string) => refusal(scene.rpc.deleteColumn(ctx, { tableId, key }));
    scene.filling.add('email');
    expect(await remove('email')).toMatchObject({ status: 409, code: 'table_busy' });
    scene.filling.clear();
    await scene.rpc.deleteColumn(ctx, { tableId, key: 'email' });
    expect(await remove('name')).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await remove('email')).toMatchObject({ status: 404, code: 'not_found' });
    expect(await remove('na\0me')).toMatchObject({ status: 404, code: 'not_found' });
    const unstorable = await refusal(scene.rpc.renameColumn(ctx, { tableId, key: 'name', name: '\ud800' }));
    expect(unstorable).toMatchObject({ code: 'invalid_request', details: [{ path: 'name' }] });
  });

  it('delete a table with its exports as an archived workspace does, and leave its frozen copy', async () => {
    const { workspaceId, tableId } = await people();
    const runId = scene.addRun(ctx);
    await test.database.transaction(ctx, (tx) =>
      scene.freezer.freezeTable(tx, { runId, key: 'main', tableId }),
    );
    const { id: exportId } = await exported(tableId);
    const revision = await revisionOf(tableId);
    await scene.rpc.deleteTable(ctx, { tableId });
    for (const call of [
      scene.rpc.deleteTable(ctx, { tableId }),
      scene.rpc.listRows(ctx, { tableId, limit: 1, cursor: null }),
      scene.rpc.createView(ctx, { tableId, view: {} }),
      scene.writer.updateRows(ctx, tableId, []),
      exported(tableId),
    ])
      expect((await refusal(call)).code).toBe('table_not_found');
    expect((await refusal(scene.rpc.getExport(ctx, { exportId }))).code).toBe('export_not_found');
    const page = { workspaceId, limit: 10, offset: 0 };
    expect(await json(scene.rpc.listTables(ctx, page))).toMatchObject({ items: [] });
    const frozen = scene.rpc.listFrozenRows(ctx, { runId, tableKey: 'main', limit: 10, cursor: null });
    expect(await json(frozen)).toMatchObject({ items: [{ values: { name: 'Zoe' } }] });
    // Open pages hear of it like of any other change.
    const row = await test.database.queryOne(ctx, 'SELECT revision FROM tables.tables WHERE id = $1', [
      tableId,
    ]);
    expect(Number(row!.revision)).toBe(revision + 1);
  });

  it('end with the rows deleted as long after as those of an archived workspace', async () => {
    const { tableId, rowId } = await people();
    const { id: exportId } = await exported(tableId);
    await scene.rpc.deleteTable(ctx, { tableId });
    const left = async (days: number) => {
      const rules = tableRetention(test.database, { archivedDays: days });
      for (const rule of rules) while ((await rule.removeSome()) > 0);
      return test.database.queryOne(
        ctx,
        `SELECT (SELECT count(*)::int FROM tables.tables WHERE id = $1) AS tables,
           (SELECT count(*)::int FROM tables.rows WHERE id = $2) AS rows,
           (SELECT count(*)::int FROM tables.exports WHERE id = $3) AS exports`,
        [tableId, rowId, exportId],
      );
    };
    expect(await left(1)).toEqual({ tables: 1, rows: 1, exports: 1 });
    expect(await left(0)).toEqual({ tables: 0, rows: 0, exports: 0 });
  });
});
