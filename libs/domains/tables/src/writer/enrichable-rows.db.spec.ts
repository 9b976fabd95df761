import { beforeAll, describe, expect, it } from '@jest/globals';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { column, newTable, openScene, type Scene } from '../spec-kit.js';
import { EnrichableRows } from './enrichable-rows.js';

const ctx = testCtx('org_enrichable');

describe('rows to enrich', () => {
  const test = useTestDatabase();
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(test.database);
  });

  it('are read with the values of the given keys only, or with all of them', async () => {
    const { tableId } = await newTable(scene, ctx, [column('name'), column('email'), column('city')]);
    const values = { name: 'Ada', email: 'ada@acme.example', city: null };
    await test.database.transaction(ctx, (tx) =>
      scene.writer.appendRows(tx, tableId, [{ id: 'row_1', values }]),
    );
    const rows = new EnrichableRows(test.database, scene.writer);
    expect(await rows.readRows(ctx, tableId, ['row_1'])).toEqual([{ id: 'row_1', values }]);
    expect(await rows.readRows(ctx, tableId, ['row_1'], ['email', 'none'])).toEqual([
      { id: 'row_1', values: { email: 'ada@acme.example', none: null } },
    ]);
    expect(await rows.readRows(ctx, tableId, ['row_1'], [])).toEqual([{ id: 'row_1', values: {} }]);
  });
});
