import { beforeAll, describe, expect, it } from '@jest/globals';
import { CursorSigner, newId } from '@quarry/app';
import { tenantOf } from '@quarry/postgres';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { column, fit, json, newTable, openScene, refusal, type Scene } from '../spec-kit.js';

const ctx = testCtx('org_freeze');

interface Page {
  items: unknown[];
  next_cursor: string | null;
}

describe('a frozen table', () => {
  const test = useTestDatabase();
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(test.database);
  });

  const freeze = (copy: { runId: string; tableId: string; key: string }) =>
    test.database.transaction(ctx, (tx) => scene.freezer.freezeTable(tx, copy));
  const live = (tableId: string) =>
    json<Page>(scene.rpc.listRows(ctx, { tableId, limit: 1000, cursor: null }));
  const frozen = (runId: string, tableKey: string, limit = 1000, cursor: string | null = null) =>
    json<Page>(scene.rpc.listFrozenRows(ctx, { runId, tableKey, limit, cursor }));

  async function filledTable(): Promise<string> {
    const { tableId } = await newTable(scene, ctx, [column('a'), column('n', 'number')]);
    const rows = Array.from({ length: 23 }, (_, n) => ({
      id: `row_${(n * 7) % 23}`,
      values: { a: `v${n}`, n },
      ...(n % 3 === 0 ? { fit: fit('qualified') } : {}),
      ...(n % 3 === 1 ? { fit: fit('disqualified') } : {}),
    }));
    await scene.writer.appendRows(ctx, tableId, rows.slice(0, 10));
    await scene.writer.appendRows(ctx, tableId, rows);
    return tableId;
  }

  it('equals the live table in rows, order, columns and counts', async () => {
    const [tableId, runId] = [await filledTable(), scene.addRun(ctx)];
    const copy = await freeze({ runId, tableId, key: 'leads 1/é' });
    expect(copy).toEqual({ rowCount: 23, fitCounts: { qualified: 8, disqualified: 8, unknown: 7 } });
    expect(await frozen(runId, 'leads 1/é')).toEqual(await live(tableId));
  });

  it('is paged completely, in live order, for every page size', async () => {
    const [tableId, runId] = [await filledTable(), scene.addRun(ctx)];
    await freeze({ runId, tableId, key: 'k' });
    const all = (await live(tableId)).items;
    for (const limit of [1, 2, 5, 22, 23, 24]) {
      const seen: unknown[] = [];
      for (let cursor: string | null = null; ;) {
        const page: Page = await frozen(runId, 'k', limit, cursor);
        seen.push(...page.items);
        if (page.next_cursor === null) break;
        cursor = page.next_cursor;
      }
      expect(seen).toEqual(all);
    }
  });

  it('does not change when the live table does, nor when it is frozen again', async () => {
    const [tableId, runId] = [await filledTable(), scene.addRun(ctx)];
    const first = await freeze({ runId, tableId, key: 'k' });
    const before = await frozen(runId, 'k');
    await scene.writer.appendRows(ctx, tableId, [{ id: 'row_new', values: {} }]);
    await scene.writer.updateRows(ctx, tableId, [{ id: 'row_0', values: { a: 'changed' } }]);
    await scene.writer.setFit(ctx, tableId, [{ id: 'row_0', fit: fit('disqualified') }]);
    await scene.writer.addColumns(ctx, tableId, [column('later')]);
    expect(await freeze({ runId, tableId, key: 'k' })).toEqual(first);
    expect(await frozen(runId, 'k')).toEqual(before);
  });

  it('does not exist if its transaction fails', async () => {
    const [tableId, runId] = [await filledTable(), scene.addRun(ctx)];
    const work = test.database.transaction(ctx, async (tx) => {
      await scene.freezer.freezeTable(tx, { runId, tableId, key: 'k' });
      throw new Error('publishing failed');
    });
    await expect(work).rejects.toThrow('publishing failed');
    const rows = scene.rpc.listFrozenRows(ctx, { runId, tableKey: 'k', limit: 1, cursor: null });
    expect((await refusal(rows)).code).toBe('table_not_found');
  });

  it('accepts cursors issued before calls and routes got their current names', async () => {
    const [tableId, runId] = [await filledTable(), scene.addRun(ctx)];
    await freeze({ runId, tableId, key: 'one' });
    // Clients hold cursors with these names, so the names must not change with the code.
    const signer = new CursorSigner([{ id: '1', secret: 'spec' }]);
    const given = (endpoint: string, subject: string) =>
      signer.signCursor({ tenant: tenantOf(ctx), endpoint, subject }, '19');
    const cursor = given('tables.rows.list', tableId);
    const rows = await json<Page>(scene.rpc.listRows(ctx, { tableId, limit: 9, cursor }));
    const frozenCursor = given('tables.frozen-rows.list', JSON.stringify([runId, 'one']));
    const last = (await live(tableId)).items.slice(20);
    expect(last).toHaveLength(3);
    expect([rows.items, (await frozen(runId, 'one', 9, frozenCursor)).items]).toEqual([last, last]);
  });

  it('refuses a cursor of another frozen table of the same run, and of another run', async () => {
    const [tableId, runId, other] = [await filledTable(), scene.addRun(ctx), scene.addRun(ctx)];
    await freeze({ runId, tableId, key: 'one' });
    await freeze({ runId, tableId, key: 'two' });
    await freeze({ runId: other, tableId, key: 'one' });
    const { next_cursor: cursor } = await frozen(runId, 'one', 5);
    await expect(frozen(runId, 'one', 5, cursor)).resolves.toMatchObject({ items: expect.any(Array) });
    await expect(frozen(runId, 'two', 5, cursor)).rejects.toMatchObject({ code: 'invalid_cursor' });
    await expect(frozen(other, 'one', 5, cursor)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('cannot be made from a table of another organisation', async () => {
    const tableId = await filledTable();
    const otherTenant = testCtx('org_other');
    const work = test.database.transaction(otherTenant, (tx) =>
      scene.freezer.freezeTable(tx, { runId: newId('run'), tableId, key: 'k' }),
    );
    expect((await refusal(work)).code).toBe('table_not_found');
  });
});
