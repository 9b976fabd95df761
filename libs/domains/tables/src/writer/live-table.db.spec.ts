import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RowJson, TableJson } from '@quarry/dto';
import { newId } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { column, fit, json, newTable, openScene, type Scene } from '../spec-kit.js';

const ctx = testCtx('org_live');
const STATUSES = ['qualified', 'disqualified', 'unknown'] as const;
const BATCHES = 60;
const BATCH_ROWS = 15;
const SIZES_SEEN_MIN = 10;

describe('a live table while it is written', () => {
  let test: TestDatabase;
  let writing: Database;
  let scene: Scene;
  /** Scene with its own database connections, as the agent's process has them. */
  let agent: Scene;

  beforeAll(async () => {
    test = await createTestDatabase();
    writing = await Database.open({ url: test.url, applicationName: 'spec-writer', connectMs: 60_000 });
    scene = await openScene(test.database);
    agent = await openScene(writing);
  });
  afterAll(async () => {
    await writing.close();
    await test.drop();
  });

  it('shows complete rows and correct counts at every read during concurrent writes', async () => {
    const { tableId } = await newTable(agent, ctx, [column('a'), column('b')]);
    const seen = { reads: 0, exact: 0, sizes: new Set<number>() };
    let isWriting = true;
    let isDone = false;
    const writers = Promise.all([
      appendAndEvaluate(tableId, seen).finally(() => (isWriting = false)),
      rewrite(tableId, () => isWriting),
    ]).finally(() => (isDone = true));
    const reading = (async () => {
      while (!isDone) await look(tableId, seen);
    })();
    await Promise.all([writers, reading]);
    await look(tableId, seen);
    printMeasurement(
      `live table: ${seen.reads} reads beside two writers, ${seen.exact} between two equal heads, ${seen.sizes.size} sizes seen`,
    );
    expect(seen.sizes.size).toBeGreaterThanOrEqual(SIZES_SEEN_MIN);
    expect(seen.exact).toBeGreaterThan(0);
    const { rowCount } = await scene.reader.getTable(ctx, tableId);
    expect(rowCount).toBe(BATCHES * BATCH_ROWS);
  });

  /** Appends rows in batches, evaluates them at once or later, and adds a column in between. */
  async function appendAndEvaluate(tableId: string, seen: { sizes: Set<number> }): Promise<void> {
    for (let batch = 0; batch < BATCHES; batch += 1) {
      // On a slow machine the reader would only see the final size, so the writer waits until it has seen some others.
      const sizesDue = Math.min(SIZES_SEEN_MIN, Math.floor((batch * SIZES_SEEN_MIN) / (BATCHES / 2)));
      await waitFor('the reader to see another size', () => Promise.resolve(seen.sizes.size >= sizesDue));
      const rows = Array.from({ length: BATCH_ROWS }, (_, i) => ({
        id: newId('row'),
        values: { a: `${batch}-${i}`, b: `${batch}-${i}` },
        ...(i % 2 === 0 ? { fit: fit(STATUSES[i % 3]!) } : {}),
      }));
      await agent.writer.appendRows(ctx, tableId, rows);
      await agent.writer.setFit(
        ctx,
        tableId,
        rows.slice(3, 9).map(({ id }, i) => ({ id, fit: fit(STATUSES[(batch + i) % 3]!) })),
      );
      if (batch === BATCHES / 2) await agent.writer.addColumns(ctx, tableId, [column('c')]);
    }
  }

  /** Rewrites both cells of existing rows, always to the same value. */
  async function rewrite(tableId: string, goesOn: () => boolean): Promise<void> {
    for (let round = 0; goesOn(); round += 1) {
      for await (const rows of agent.reader.readRows(ctx, tableId, { batchSize: 200 })) {
        const changes = rows
          .filter((_, i) => i % 3 === round % 3)
          .map(({ id }) => ({ id, values: { a: `again ${round}`, b: `again ${round}` } }));
        await agent.writer.updateRows(ctx, tableId, changes);
      }
    }
  }

  async function look(tableId: string, seen: { reads: number; exact: number; sizes: Set<number> }) {
    const before = await json<TableJson & Record<string, unknown>>(scene.rpc.getTable(ctx, { tableId }));
    const rows: RowJson[] = [];
    for (let cursor: string | null = null; ;) {
      const page: { items: RowJson[]; next_cursor: string | null } = await json(
        scene.rpc.listRows(ctx, { tableId, limit: 400, cursor }),
      );
      // A page is a consistent snapshot: all its rows have the same columns, and each row shows all of a change or nothing.
      expect(new Set(page.items.map(({ values }) => Object.keys(values).length)).size).toBeLessThan(2);
      for (const { values } of page.items) expect(values.a).toBe(values.b);
      rows.push(...page.items);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    const after = await json<TableJson & Record<string, unknown>>(scene.rpc.getTable(ctx, { tableId }));
    for (const { row_count: rowCount, fit_counts: fits } of [before, after])
      expect(fits.qualified + fits.disqualified + fits.unknown).toBe(rowCount);
    expect(rows.length).toBeGreaterThanOrEqual(before.row_count);
    expect(rows.length).toBeLessThanOrEqual(after.row_count);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    seen.reads += 1;
    seen.sizes.add(rows.length);
    if (JSON.stringify(before) !== JSON.stringify(after)) return;
    const fits = { qualified: 0, disqualified: 0, unknown: 0 };
    for (const row of rows) fits[row.fit.status] += 1;
    expect([rows.length, fits]).toEqual([after.row_count, after.fit_counts]);
    seen.exact += 1;
  }
});
