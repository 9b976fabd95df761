import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Ctx } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { cell, column, json, newTable, openScene, refusal, type Scene } from './spec-kit.js';

const owner = testCtx('org_owner');
/** Tenants other than the owner: another organisation, and the other mode of the same organisation. */
const OTHER_TENANTS = { organisation: testCtx('org_other'), mode: { ...owner, mode: 'test' } as Ctx };
const { organisation: otherTenant } = OTHER_TENANTS;
const importBody = JSON.stringify({ name: 'x', columns: [{ key: 'a', name: 'A' }], rows: [] });

interface Ids {
  workspaceId: string;
  tableId: string;
  runId: string;
  exportId: string;
}

/** Every call that takes an id. */
const CALLS: Record<string, (scene: Scene, ctx: Ctx, ids: Ids) => Promise<unknown>> = {
  getWorkspace: (scene, ctx, ids) => scene.rpc.getWorkspace(ctx, ids),
  archiveWorkspace: (scene, ctx, ids) => scene.rpc.archiveWorkspace(ctx, ids),
  listTables: (scene, ctx, ids) => scene.rpc.listTables(ctx, { ...ids, limit: 10, offset: 0 }),
  importTable: (scene, ctx, ids) => scene.rpc.importTable(ctx, { ...ids, body: importBody }),
  getTable: (scene, ctx, ids) => scene.rpc.getTable(ctx, ids),
  renameTable: (scene, ctx, ids) => scene.rpc.renameTable(ctx, { ...ids, name: 'x' }),
  deleteTable: (scene, ctx, ids) => scene.rpc.deleteTable(ctx, ids),
  renameColumn: (scene, ctx, ids) => scene.rpc.renameColumn(ctx, { ...ids, key: 'a', name: 'x' }),
  deleteColumn: (scene, ctx, ids) => scene.rpc.deleteColumn(ctx, { ...ids, key: 'a' }),
  listRows: (scene, ctx, ids) => scene.rpc.listRows(ctx, { ...ids, limit: 10, cursor: null }),
  listRowsByForgedCursor: (scene, ctx, ids) => scene.rpc.listRows(ctx, { ...ids, limit: 10, cursor: 'x' }),
  listFrozenRows: (scene, ctx, ids) =>
    scene.rpc.listFrozenRows(ctx, { ...ids, tableKey: 'leads', limit: 10, cursor: null }),
  createExport: (scene, ctx, ids) =>
    scene.rpc.createExport(ctx, { ...ids, tableKey: 'leads', format: 'csv' }),
  getExport: (scene, ctx, ids) => scene.rpc.getExport(ctx, ids),
  readExport: (scene, ctx, ids) => scene.rpc.readExport(ctx, { ...ids, offset: 0, length: 10 }),
  appendRows: (scene, ctx, ids) =>
    scene.writer.appendRows(ctx, ids.tableId, [{ id: newId('row'), values: {} }]),
  updateRows: (scene, ctx, ids) => scene.writer.updateRows(ctx, ids.tableId, []),
  setFit: (scene, ctx, ids) => scene.writer.setFit(ctx, ids.tableId, []),
  arrangeRows: (scene, ctx, ids) => scene.writer.arrangeRows(ctx, ids.tableId, []),
  addColumns: (scene, ctx, ids) => scene.writer.addColumns(ctx, ids.tableId, [column('b')]),
  createTable: (scene, ctx, ids) =>
    scene.writer.createTable(ctx, { id: newId('tbl'), workspaceId: ids.workspaceId, name: 't', columns: [] }),
  getTableSummary: (scene, ctx, ids) => scene.reader.getTable(ctx, ids.tableId),
  readRows: (scene, ctx, ids) => scene.reader.readRows(ctx, ids.tableId)[Symbol.asyncIterator]().next(),
  readPage: (scene, ctx, ids) =>
    scene.reader.readPage(ctx, { tableId: ids.tableId, viewId: null }, { from: 0, limit: 5 }),
  profile: (scene, ctx, ids) => scene.reader.profileTable(ctx, ids.tableId),
};

describe('tenancy of tables', () => {
  const test = useTestDatabase();
  let scene: Scene;
  let ids: Ids;

  beforeAll(async () => {
    scene = await openScene(test.database);
    ids = await prepared(owner);
  });

  async function prepared(ctx: Ctx): Promise<Ids> {
    const { workspaceId, tableId } = await newTable(scene, ctx, [column('a')]);
    await scene.writer.appendRows(ctx, tableId, [{ id: newId('row'), values: { a: 'secret' } }]);
    const runId = scene.addRun(ctx);
    await test.database.transaction(ctx, (tx) =>
      scene.freezer.freezeTable(tx, { runId, tableId, key: 'leads' }),
    );
    const made = await scene.rpc.createExport(ctx, { runId, tableKey: 'leads', format: 'csv' });
    return { workspaceId, tableId, runId, exportId: made.id };
  }

  const unknown = (): Ids => ({
    workspaceId: newId('ws'),
    tableId: newId('tbl'),
    runId: newId('run'),
    exportId: newId('exp'),
  });

  it.each(
    Object.keys(CALLS).flatMap((name) =>
      Object.entries(OTHER_TENANTS).map(([of, who]) => ({ name, of, who })),
    ),
  )('$name answers an id of another $of exactly like an unknown one', async ({ name, who }) => {
    const call = CALLS[name]!;
    const foreign = await refusal(call(scene, who, ids));
    expect(foreign.status).toBe(404);
    expect(JSON.stringify(foreign)).toBe(JSON.stringify(await refusal(call(scene, who, unknown()))));
  });

  it.each(Object.keys(CALLS))('%s answers malformed ids like unknown ones', async (name) => {
    const call = CALLS[name]!;
    const expected = JSON.stringify(await refusal(call(scene, otherTenant, unknown())));
    for (const odd of ['', '\0', '\ud800', "' OR 1=1 --", 'x'.repeat(10_000), '../etc', '١٢٣'])
      expect(
        JSON.stringify(
          await refusal(call(scene, owner, { workspaceId: odd, tableId: odd, runId: odd, exportId: odd })),
        ),
      ).toBe(expected);
  });

  it.each(Object.keys(CALLS))('%s answers ids of an archived workspace like unknown ones', async (name) => {
    const call = CALLS[name]!;
    const archived = await prepared(otherTenant);
    await scene.rpc.archiveWorkspace(otherTenant, archived);
    expect(JSON.stringify(await refusal(call(scene, otherTenant, archived)))).toBe(
      JSON.stringify(await refusal(call(scene, otherTenant, unknown()))),
    );
  });

  it('skips no pending cells of other tenants, and ignores malformed table ids', async () => {
    const { tableId } = await newTable(scene, owner, [column('a')]);
    const cells = { a: cell('pending') };
    await scene.writer.appendRows(owner, tableId, [{ id: newId('row'), values: { a: null }, cells }]);
    for (const who of Object.values(OTHER_TENANTS))
      await scene.writer.skipPending(who, tableId, { code: 'c', message: 'm' });
    for (const odd of ['', '\0', '\ud800'])
      await scene.writer.skipPending(owner, odd, { code: 'c', message: 'm' });
    const page = await json(scene.rpc.listRows(owner, { tableId, limit: 10, cursor: null }));
    expect(page).toMatchObject({ items: [{ cells }] });
  });

  it('leaves what another tenant tried to change as it was', async () => {
    const page = await json(scene.rpc.listRows(owner, { ...ids, limit: 10, cursor: null }));
    expect(page).toMatchObject({ items: [{ values: { a: 'secret' } }], next_cursor: null });
    for (const who of Object.values(OTHER_TENANTS))
      expect(await scene.reader.listNames(who, ids.workspaceId)).toEqual([]);
  });

  it.each(Object.entries(OTHER_TENANTS))(
    'names no workspace to another %s, and reports none as open',
    async (_of, who) => {
      expect(await scene.writer.workspaceExists(owner, ids.workspaceId)).toBe(true);
      expect(await scene.writer.workspaceExists(who, ids.workspaceId)).toBe(false);
      const page = JSON.parse(await scene.rpc.listWorkspaces(who, { limit: 1000, offset: 0 })) as {
        items: Array<{ id: string }>;
      };
      expect(page.items.map(({ id }) => id)).not.toContain(ids.workspaceId);
    },
  );

  it('keeps a table out of a workspace of the other mode, whatever a statement forgets', async () => {
    const moved = test.database.query(owner, "UPDATE tables.tables SET mode = 'test' WHERE id = $1", [
      ids.tableId,
    ]);
    await expect(moved).rejects.toThrow('tables_share_the_mode_of_their_workspace');
  });

  it('distinguishes an unknown table key, an unknown run and a foreign cursor', async () => {
    const rows = (tableKey: string, cursor: string | null) =>
      scene.rpc.listFrozenRows(owner, { runId: ids.runId, tableKey, limit: 1, cursor });
    expect((await refusal(rows('other', null))).code).toBe('table_not_found');
    expect((await refusal(rows('oth\0er', null))).code).toBe('table_not_found');
    expect((await refusal(rows('other', 'forged'))).code).toBe('table_not_found');
    expect((await refusal(rows('leads', 'forged'))).code).toBe('invalid_cursor');
  });
});
