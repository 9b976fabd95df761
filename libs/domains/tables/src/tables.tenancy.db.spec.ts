import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Ctx } from '@quarry/platform';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { column, newTable, openRoom, refusal, type Room } from './spec-kit.js';

const owner = testCtx('org_owner');
/** Another organisation, and the organisation's own other world. */
const STRANGERS = { organisation: testCtx('org_stranger'), mode: { ...owner, mode: 'test' } as Ctx };
const { organisation: stranger } = STRANGERS;
const importBody = JSON.stringify({ name: 'x', columns: [{ key: 'a', name: 'A' }], rows: [] });

interface Ids {
  workspaceId: string;
  tableId: string;
  runId: string;
  exportId: string;
}

/** Every call that bears an id. */
const CALLS: Record<string, (room: Room, ctx: Ctx, ids: Ids) => Promise<unknown>> = {
  getWorkspace: (room, ctx, ids) => room.rpc.getWorkspace(ctx, ids),
  archiveWorkspace: (room, ctx, ids) => room.rpc.archiveWorkspace(ctx, ids),
  listTables: (room, ctx, ids) => room.rpc.listTables(ctx, { ...ids, limit: 10, offset: 0 }),
  importTable: (room, ctx, ids) => room.rpc.importTable(ctx, { ...ids, body: importBody }),
  getTable: (room, ctx, ids) => room.rpc.getTable(ctx, ids),
  listRows: (room, ctx, ids) => room.rpc.listRows(ctx, { ...ids, limit: 10, cursor: null }),
  listRowsByForgedCursor: (room, ctx, ids) => room.rpc.listRows(ctx, { ...ids, limit: 10, cursor: 'x' }),
  listFrozenRows: (room, ctx, ids) =>
    room.rpc.listFrozenRows(ctx, { ...ids, tableKey: 'leads', limit: 10, cursor: null }),
  createExport: (room, ctx, ids) => room.rpc.createExport(ctx, { ...ids, tableKey: 'leads', format: 'csv' }),
  getExport: (room, ctx, ids) => room.rpc.getExport(ctx, ids),
  readExport: (room, ctx, ids) => room.rpc.readExport(ctx, { ...ids, offset: 0, length: 10 }),
  appendRows: (room, ctx, ids) =>
    room.writer.appendRows(ctx, ids.tableId, [{ id: newId('row'), values: {} }]),
  updateRows: (room, ctx, ids) => room.writer.updateRows(ctx, ids.tableId, []),
  skipPending: (room, ctx, ids) => room.writer.skipPending(ctx, ids.tableId, { code: 'c', message: 'm' }),
  setFit: (room, ctx, ids) => room.writer.setFit(ctx, ids.tableId, []),
  arrangeRows: (room, ctx, ids) => room.writer.arrangeRows(ctx, ids.tableId, []),
  addColumns: (room, ctx, ids) => room.writer.addColumns(ctx, ids.tableId, [column('b')]),
  createTable: (room, ctx, ids) =>
    room.writer.createTable(ctx, { id: newId('tbl'), workspaceId: ids.workspaceId, name: 't', columns: [] }),
  getTableSummary: (room, ctx, ids) => room.reader.getTable(ctx, ids.tableId),
  readRows: (room, ctx, ids) => room.reader.readRows(ctx, ids.tableId)[Symbol.asyncIterator]().next(),
  readPage: (room, ctx, ids) =>
    room.reader.readPage(ctx, { tableId: ids.tableId, viewId: null }, { from: 0, limit: 5 }),
  profile: (room, ctx, ids) => room.reader.profile(ctx, ids.tableId, 5),
};

describe('tenancy of tables', () => {
  let test: TestDatabase;
  let room: Room;
  let ids: Ids;

  beforeAll(async () => {
    test = await createTestDatabase();
    room = await openRoom(test.database);
    ids = await prepared(owner);
  });
  afterAll(() => test.drop());

  async function prepared(ctx: Ctx): Promise<Ids> {
    const { workspaceId, tableId } = await newTable(room, ctx, [column('a')]);
    await room.writer.appendRows(ctx, tableId, [{ id: newId('row'), values: { a: 'secret' } }]);
    const runId = room.addRun(ctx);
    await test.database.transaction(ctx, (tx) => room.freezer.freeze(tx, { runId, tableId, key: 'leads' }));
    const made = await room.rpc.createExport(ctx, { runId, tableKey: 'leads', format: 'csv' });
    return { workspaceId, tableId, runId, exportId: made.id };
  }

  const unknown = (): Ids => ({
    workspaceId: newId('ws'),
    tableId: newId('tbl'),
    runId: newId('run'),
    exportId: newId('exp'),
  });

  it.each(
    Object.keys(CALLS).flatMap((name) => Object.entries(STRANGERS).map(([of, who]) => ({ name, of, who }))),
  )('$name answers an id of another $of byte for byte as an unknown one', async ({ name, who }) => {
    const call = CALLS[name]!;
    const foreign = await refusal(call(room, who, ids));
    expect(foreign.status).toBe(404);
    expect(JSON.stringify(foreign)).toBe(JSON.stringify(await refusal(call(room, who, unknown()))));
  });

  it.each(Object.keys(CALLS))('%s answers ids of no possible shape as unknown ones', async (name) => {
    const call = CALLS[name]!;
    const expected = JSON.stringify(await refusal(call(room, stranger, unknown())));
    for (const odd of ['', '\0', '\ud800', "' OR 1=1 --", 'x'.repeat(10_000), '../etc', '١٢٣'])
      expect(
        JSON.stringify(
          await refusal(call(room, owner, { workspaceId: odd, tableId: odd, runId: odd, exportId: odd })),
        ),
      ).toBe(expected);
  });

  it.each(Object.keys(CALLS))('%s answers what an archived workspace holds as unknown', async (name) => {
    const call = CALLS[name]!;
    const archived = await prepared(stranger);
    await room.rpc.archiveWorkspace(stranger, archived);
    expect(JSON.stringify(await refusal(call(room, stranger, archived)))).toBe(
      JSON.stringify(await refusal(call(room, stranger, unknown()))),
    );
  });

  it('leaves what a stranger tried to touch as it was', async () => {
    const page = await room.rpc.listRows(owner, { ...ids, limit: 10, cursor: null });
    expect(JSON.parse(page)).toMatchObject({ items: [{ values: { a: 'secret' } }], next_cursor: null });
    for (const who of Object.values(STRANGERS))
      expect(await room.reader.listNames(who, ids.workspaceId)).toEqual([]);
  });

  it.each(Object.entries(STRANGERS))(
    'names no workspace to another %s, and calls none of them open',
    async (_of, who) => {
      expect(await room.writer.isWorkspaceOpen(owner, ids.workspaceId)).toBe(true);
      expect(await room.writer.isWorkspaceOpen(who, ids.workspaceId)).toBe(false);
      const page = JSON.parse(await room.rpc.listWorkspaces(who, { limit: 1000, offset: 0 })) as {
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

  it('tells an unknown key of a known run from an unknown run, and a foreign cursor from both', async () => {
    const rows = (tableKey: string, cursor: string | null) =>
      room.rpc.listFrozenRows(owner, { runId: ids.runId, tableKey, limit: 1, cursor });
    expect((await refusal(rows('other', null))).code).toBe('table_not_found');
    expect((await refusal(rows('oth\0er', null))).code).toBe('table_not_found');
    expect((await refusal(rows('other', 'forged'))).code).toBe('table_not_found');
    expect((await refusal(rows('leads', 'forged'))).code).toBe('invalid_cursor');
  });
});
