import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, systemCtx, type Ctx } from '@quarry/app';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { column, fit, json, newTable, openScene, refusal, type Scene } from './spec-kit.js';
import { insertWorkspace } from './workspaces/workspaces.store.js';

interface Page {
  items: Array<{ values: { a: string } }>;
  next_cursor: string | null;
}

/** Ids of records that exist in both organisations. */
interface Twins {
  both: [Ctx, Ctx];
  workspaceId: string;
  tableId: string;
  runId: string;
}

// Ids are unique within an organisation. A statement that finds rows by id alone is detected only when two organisations share
// the id: otherwise an earlier check of the owner would hide it.
describe('two organisations with the same ids', () => {
  let test: TestDatabase;
  let scene: Scene;

  beforeAll(async () => {
    test = await createTestDatabase();
    scene = await openScene(test.database);
  });
  afterAll(() => test.drop());

  /** Creates a table of two rows in each organisation, with the organisation's id as its name and its values. */
  async function twins(): Promise<Twins> {
    const both: [Ctx, Ctx] = [testCtx(newId('org')), testCtx(newId('org'))];
    const [workspaceId, tableId] = [newId('ws'), newId('tbl')];
    for (const ctx of both) {
      await insertWorkspace(test.database, ctx, { id: workspaceId, name: ctx.orgId });
      const table = { id: tableId, workspaceId, name: ctx.orgId, columns: [column('a')] };
      await scene.writer.createTable(ctx, table);
      const values = { a: ctx.orgId };
      await scene.writer.appendRows(ctx, tableId, [
        { id: 'row_0', values },
        { id: 'row_1', values },
      ]);
    }
    return { both, workspaceId, tableId, runId: scene.addRun(both[0]) };
  }

  const freeze = (ctx: Ctx, { runId, tableId }: Twins, key = 'leads') =>
    test.database.transaction(ctx, (tx) => scene.freezer.freezeTable(tx, { runId, tableId, key }));
  const rows = (ctx: Ctx, { tableId }: Twins, cursor: string | null = null, limit = 10) =>
    scene.rpc.listRows(ctx, { tableId, limit, cursor });
  const frozenRows = (ctx: Ctx, { runId }: Twins, cursor: string | null = null, limit = 10) =>
    scene.rpc.listFrozenRows(ctx, { runId, tableKey: 'leads', limit, cursor });
  const table = (ctx: Ctx, { tableId }: Twins) =>
    json<{ row_count: number; columns: unknown[]; fit_counts: { qualified: number } }>(
      scene.rpc.getTable(ctx, { tableId }),
    );

  it('list their own tables in a workspace', async () => {
    const { both, workspaceId } = await twins();
    for (const ctx of both) {
      const page = await json<{ items: Array<{ name: string }> }>(
        scene.rpc.listTables(ctx, { workspaceId, limit: 10, offset: 0 }),
      );
      expect(page.items.map(({ name }) => name)).toEqual([ctx.orgId]);
    }
  });

  it('add columns to their own table', async () => {
    const pair = await twins();
    const [one, other] = pair.both;
    await scene.writer.addColumns(one, pair.tableId, [column('b')]);
    expect((await table(one, pair)).columns).toHaveLength(2);
    expect((await table(other, pair)).columns).toHaveLength(1);
  });

  it('add rows to their own table', async () => {
    const pair = await twins();
    const [one, other] = pair.both;
    await scene.writer.appendRows(one, pair.tableId, [{ id: 'row_2', values: {} }]);
    expect([(await table(one, pair)).row_count, (await table(other, pair)).row_count]).toEqual([3, 2]);
  });

  it('evaluate the rows of their own table', async () => {
    const pair = await twins();
    const [one, other] = pair.both;
    await scene.writer.setFit(one, pair.tableId, [{ id: 'row_0', fit: fit('qualified') }]);
    const counts = [await table(one, pair), await table(other, pair)].map(
      (each) => each.fit_counts.qualified,
    );
    expect(counts).toEqual([1, 0]);
  });

  it('freeze their own table, once', async () => {
    for (const at of [0, 1] as const) {
      const pair = await twins();
      await freeze(pair.both[at], pair);
      const frozen = await test.database.query(
        pair.both[at],
        'SELECT org_id, name FROM tables.frozen_tables WHERE run_id = $1',
        [pair.runId],
      );
      const { orgId } = pair.both[at];
      expect(frozen).toEqual([{ org_id: orgId, name: orgId }]);
    }
  });

  it('get their own frozen version when they repeat the freeze', async () => {
    const pair = await twins();
    const [one, other] = pair.both;
    await scene.writer.appendRows(other, pair.tableId, [{ id: 'row_2', values: {} }]);
    for (const ctx of pair.both) await freeze(ctx, pair);
    expect([(await freeze(one, pair)).rowCount, (await freeze(other, pair)).rowCount]).toEqual([2, 3]);
  });

  it('see only their own archived runs', async () => {
    const pair = await twins();
    const [one, other] = pair.both;
    await freeze(other, pair);
    await scene.rpc.archiveWorkspace(other, pair);
    expect((await refusal(frozenRows(one, pair))).code).toBe('table_not_found');
  });

  it('read no page by a cursor of the other, live or frozen', async () => {
    const pair = await twins();
    const [one, other] = pair.both;
    for (const read of [rows, frozenRows]) {
      for (const ctx of pair.both) await freeze(ctx, pair);
      const { next_cursor: cursor } = await json<Page>(read(one, pair, null, 1));
      expect((await json<Page>(read(one, pair, cursor, 1))).items).toHaveLength(1);
      expect((await refusal(read(other, pair, cursor, 1))).code).toBe('invalid_cursor');
    }
  });

  it('read no frozen page by a cursor of live rows', async () => {
    const pair = await twins();
    const [one] = pair.both;
    await freeze(one, pair);
    const { next_cursor: cursor } = await json<Page>(rows(one, pair, null, 1));
    expect((await refusal(frozenRows(one, pair, cursor, 1))).code).toBe('invalid_cursor');
  });

  it('read their own export', async () => {
    const pair = await twins();
    const ids: string[] = [];
    for (const ctx of pair.both) {
      await freeze(ctx, pair);
      ids.push(
        (await scene.rpc.createExport(ctx, { runId: pair.runId, tableKey: 'leads', format: 'csv' })).id,
      );
    }
    const [id, second] = ids as [string, string];
    const columns = 'workspace_id, run_id, table_key, format, filename, byte_length, sha256, expires_at';
    for (const sql of [
      `INSERT INTO tables.exports (org_id, id, ${columns}) SELECT org_id, $2, ${columns} FROM tables.exports WHERE id = $1`,
      'UPDATE tables.export_chunks SET export_id = $2 WHERE export_id = $1',
    ])
      await test.database.query(pair.both[1], sql, [second, id]);
    for (const [at, ctx] of pair.both.entries()) {
      const { base64 } = await scene.rpc.readExport(ctx, { exportId: id, offset: 0, length: 10_000 });
      const text = Buffer.from(base64, 'base64').toString();
      expect([text.includes(ctx.orgId), text.includes(pair.both[1 - at]!.orgId)]).toEqual([true, false]);
    }
  });
});

// A row set number is never reused, and is reached through a head that has an owner. Here the head names a foreign row set.
describe('a table whose head names the rows of another organisation', () => {
  const [thief, victim] = [testCtx('org_thief'), testCtx('org_victim')];
  let test: TestDatabase;
  let scene: Scene;
  let runId: string;
  let stolen: { tableId: string; runId: string };

  beforeAll(async () => {
    test = await createTestDatabase();
    scene = await openScene(test.database);
    runId = scene.addRun(victim);
    const theirs = await filled(victim, 'secret');
    const frozen = (ctx: Ctx, run: string, tableId: string) =>
      test.database.transaction(ctx, (tx) =>
        scene.freezer.freezeTable(tx, { runId: run, tableId, key: 'leads' }),
      );
    await frozen(victim, runId, theirs);
    stolen = { tableId: await filled(thief, 'own'), runId: scene.addRun(thief) };
    await frozen(thief, stolen.runId, stolen.tableId);
    // Live heads get a frozen row set and frozen heads a live one, because each number is unique within its kind.
    await test.database.query(
      systemCtx('spec'),
      'UPDATE tables.tables SET row_set = (SELECT row_set FROM tables.frozen_tables WHERE org_id = $2) WHERE org_id = $1',
      [thief.orgId, victim.orgId],
    );
    await test.database.query(
      systemCtx('spec'),
      'UPDATE tables.frozen_tables SET row_set = (SELECT row_set FROM tables.tables WHERE org_id = $2) WHERE org_id = $1',
      [thief.orgId, victim.orgId],
    );
  });
  afterAll(() => test.drop());

  async function filled(ctx: Ctx, value: string): Promise<string> {
    const { tableId } = await newTable(scene, ctx, [column('a')]);
    await scene.writer.appendRows(ctx, tableId, [{ id: 'row_0', values: { a: value } }]);
    return tableId;
  }

  it('shows none of them in a page', async () => {
    const page = { limit: 10, cursor: null };
    expect((await json<Page>(scene.rpc.listRows(thief, { ...stolen, ...page }))).items).toEqual([]);
    const frozen = scene.rpc.listFrozenRows(thief, { ...stolen, tableKey: 'leads', ...page });
    expect((await json<Page>(frozen)).items).toEqual([]);
  });

  it('gives none of them to its agent', async () => {
    const read: unknown[] = [];
    for await (const batch of scene.reader.readRows(thief, stolen.tableId)) read.push(...batch);
    expect(read).toEqual([]);
  });

  it('tells none of their values', async () => {
    const { values } = await scene.reader.profileTable(thief, stolen.tableId);
    expect(values).toEqual({ a: { values: [], isComplete: true } });
  });

  it('exports none of them', async () => {
    const { id } = await scene.rpc.createExport(thief, { ...stolen, tableKey: 'leads', format: 'csv' });
    const { base64 } = await scene.rpc.readExport(thief, { exportId: id, offset: 0, length: 10_000 });
    expect(Buffer.from(base64, 'base64').toString()).not.toContain('secret');
  });

  it.each([
    [
      'updated',
      () => scene.writer.updateRows(thief, stolen.tableId, [{ id: 'row_0', values: { a: 'mine' } }]),
    ],
    ['evaluated', () => scene.writer.setFit(thief, stolen.tableId, [{ id: 'row_0', fit: fit('qualified') }])],
    ['widened', () => scene.writer.addColumns(thief, stolen.tableId, [column('b')])],
  ])('leaves them as they are when it is %s', async (_how, write) => {
    const theirs = async () =>
      (
        await scene.rpc.listFrozenRows(victim, { runId, tableKey: 'leads', limit: 10, cursor: null })
      ).toString();
    const before = await theirs();
    await write();
    expect(before).toContain('secret');
    expect(await theirs()).toBe(before);
  });

  it('freezes none of them', async () => {
    const copy = { runId: scene.addRun(thief), tableId: stolen.tableId, key: 'copy' };
    await test.database.transaction(thief, (tx) => scene.freezer.freezeTable(tx, copy));
    const copied = await test.database.query(thief, 'SELECT 1 FROM tables.rows WHERE cell_values @> $1', [
      JSON.stringify({ a: 'secret' }),
    ]);
    expect(copied).toHaveLength(2);
  });
});
