import { beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, RetentionTask } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { column, newTable, openScene, type Scene } from './spec-kit.js';
import { tableRetention } from './archived-workspaces.js';

describe('retention of tables', () => {
  const test = useTestDatabase();
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(test.database);
  });

  /** Creates a workspace with a live table, a frozen copy of it and an export of the copy. @returns its id */
  async function filled(orgId: string): Promise<string> {
    const ctx = testCtx(orgId);
    const { workspaceId, tableId } = await newTable(scene, ctx, [column('name')]);
    const rows = Array.from({ length: 30 }, (_, n) => ({
      id: `row_${orgId}_${n}`,
      values: { name: `N${n}` },
    }));
    await scene.writer.appendRows(ctx, tableId, rows);
    const runId = scene.addRun(ctx);
    await test.database.transaction(ctx, (tx) =>
      scene.freezer.freezeTable(tx, { runId, key: 'main', tableId }),
    );
    await scene.rpc.createExport(ctx, { runId, tableKey: 'main', format: 'csv' });
    return workspaceId;
  }

  async function archivedAgo(orgId: string, workspaceId: string, days: number): Promise<void> {
    await scene.rpc.archiveWorkspace(testCtx(orgId), { workspaceId });
    await test.database.query(
      testCtx(orgId),
      'UPDATE tables.workspaces SET archived_at = archived_at - make_interval(days => $2) WHERE id = $1',
      [workspaceId, days],
    );
  }

  const leftOf = (orgId: string) =>
    test.database.queryOne(
      testCtx(orgId),
      `SELECT (SELECT count(*)::int FROM tables.workspaces WHERE org_id = $1) AS workspaces,
         (SELECT count(*)::int FROM tables.tables WHERE org_id = $1) AS tables,
         (SELECT count(*)::int FROM tables.frozen_tables WHERE org_id = $1) AS frozen,
         (SELECT count(*)::int FROM tables.rows WHERE org_id = $1) AS rows,
         (SELECT count(*)::int FROM tables.exports WHERE org_id = $1) AS exports,
         (SELECT count(*)::int FROM tables.export_chunks WHERE org_id = $1) AS chunks`,
      [orgId],
    );

  it('deletes a workspace with everything in it 30 days after it was archived, and nothing else', async () => {
    const all = { workspaces: 1, tables: 1, frozen: 1, rows: 60, exports: 1, chunks: 1 };
    await archivedAgo('org_old', await filled('org_old'), 31);
    await archivedAgo('org_young', await filled('org_young'), 29);
    await filled('org_open');
    const rules = tableRetention(test.database, { archivedDays: 30 });
    await new RetentionTask(rules, createLogger('spec', 'silent')).removeDue();
    expect(await leftOf('org_old')).toEqual({
      workspaces: 0,
      tables: 0,
      frozen: 0,
      rows: 0,
      exports: 0,
      chunks: 0,
    });
    expect(await leftOf('org_young')).toEqual(all);
    expect(await leftOf('org_open')).toEqual(all);
  });
});
