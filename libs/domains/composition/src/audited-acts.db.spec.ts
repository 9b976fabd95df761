import { beforeAll, describe, expect, it } from '@jest/globals';
import { grantCredits, setSpendLimits } from '@quarry/credit-ledger';
import { TABLES_RPC } from '@quarry/dto';
import { IdentityStore } from '@quarry/identity';
import { newId, systemCtx, type Ctx } from '@quarry/app';
import { AuditLog } from '@quarry/postgres';
import type { LocalRpcTransport } from '@quarry/rpc';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { createOrganisation } from './organisation.js';
import { openTables } from './tables.fixture.js';

describe('the audit log records', () => {
  const test = useTestDatabase();
  let tables: Awaited<ReturnType<typeof openTables>>;
  let rpc: LocalRpcTransport;
  let ctx: Ctx;

  beforeAll(async () => {
    const { database } = test;
    tables = await openTables(database);
    rpc = tables.rpc;
    const { orgId } = await createOrganisation(database, { name: 'Audited', credits: 5 });
    ctx = testCtx(orgId, { keyId: 'key_1', address: '192.0.2.7' });
  });

  const newest = async (count: number) =>
    (await new AuditLog(test.database).listEntries(ctx, count)).map(({ action }) => action).reverse();

  it('the creation of an organisation', async () => {
    expect(await newest(10)).toEqual([
      'organisation.created',
      'user.created',
      'key.created',
      'key.created',
      'credits.granted',
    ]);
  });

  it('changes of keys, users, grants and limits, each once', async () => {
    const { database } = test;
    const store = new IdentityStore(database);
    const admin = systemCtx('admin');
    const { keyId } = await store.createKey(admin, { orgId: ctx.orgId, mode: 'test' });
    await store.revokeKey(admin, keyId);
    await store.revokeKey(admin, keyId);
    await store.createUser(admin, { orgId: ctx.orgId, email: 'audited@example.com' });
    await grantCredits(database, { orgId: ctx.orgId, amount: 3, grantId: 'invoice-1' });
    await grantCredits(database, { orgId: ctx.orgId, amount: 3, grantId: 'invoice-1' });
    await setSpendLimits(database, { orgId: ctx.orgId, keyId: null, mode: 'live' }, { day: 7 });
    expect(await newest(5)).toEqual([
      'key.created',
      'key.revoked',
      'user.created',
      'credits.granted',
      'limits.set',
    ]);
  });

  it('what a key deletes, replaces and archives, with its client address', async () => {
    const made = JSON.parse(await rpc.call(ctx, TABLES_RPC.createWorkspace, { name: 'W' })) as { id: string };
    await rpc.call(ctx, TABLES_RPC.archiveWorkspace, { workspaceId: made.id });
    const items = [{ linkedin_url: 'https://www.linkedin.com/in/ann-audited' }];
    const sync = { kind: 'people', source: 'crm', items } as const;
    await rpc.call(ctx, TABLES_RPC.syncExclusions, { ...sync, dryRun: true });
    await rpc.call(ctx, TABLES_RPC.syncExclusions, { ...sync, dryRun: false });
    await rpc.call(ctx, TABLES_RPC.deleteExclusions, { kind: 'people', items });
    expect(await newest(3)).toEqual(['workspace.archived', 'exclusions.replaced', 'exclusions.deleted']);
    const [event] = await new AuditLog(test.database).listEntries(ctx, 1);
    expect(event).toMatchObject({ actor: { kind: 'key', id: 'key_1' }, address: '192.0.2.7' });
    expect(JSON.stringify(event)).not.toContain('ann-audited');
  });

  it('creation and download of exports, without their content', async () => {
    const workspaceId = await tables.writer.createWorkspace(ctx, 'W');
    const [tableId, runId] = [newId('tbl'), newId('run')];
    const columns = [{ key: 'email', name: 'E-mail', kind: 'text', qualification: {} } as const];
    await tables.writer.createTable(ctx, { id: tableId, workspaceId, name: 'Ann', columns: [...columns] });
    const tableKey = 'ann@acme.example';
    await test.database.transaction(ctx, (tx) =>
      tables.freezer.freezeTable(tx, { runId, key: tableKey, tableId }),
    );
    const request = { runId, tableKey, format: 'csv', idempotencyKey: 'once' } as const;
    const made = await rpc.call(ctx, TABLES_RPC.createExport, request);
    // The repeated request gets the response of the first, and creates no second export.
    await rpc.call(ctx, TABLES_RPC.createExport, request);
    const { byteLength } = await rpc.call(ctx, TABLES_RPC.getExport, { exportId: made.id });
    // Reading the chunks of a file counts as one download.
    for (const offset of [0, 4])
      await rpc.call(ctx, TABLES_RPC.readExport, { exportId: made.id, offset, length: 4 });
    const [read, created, before] = await new AuditLog(test.database).listEntries(ctx, 3);
    const common = { actor: { kind: 'key', id: 'key_1' }, address: '192.0.2.7', object: made.id };
    expect(created).toMatchObject({ ...common, action: 'export.created' });
    expect(created!.facts).toEqual({ run: runId, format: 'csv', bytes: byteLength });
    expect(read).toMatchObject({ ...common, action: 'export.read' });
    expect(read!.facts).toEqual({});
    expect(before!.action).not.toMatch(/^export/);
  });

  it('no read of an export that the reader cannot see', async () => {
    const before = await newest(100);
    const refused = rpc.call(ctx, TABLES_RPC.getExport, { exportId: newId('exp') });
    await expect(refused).rejects.toMatchObject({ code: 'export_not_found' });
    const unmade = rpc.call(ctx, TABLES_RPC.createExport, {
      runId: newId('run'),
      tableKey: 'x',
      format: 'csv',
    });
    await expect(unmade).rejects.toMatchObject({ code: 'run_not_found' });
    expect(await newest(100)).toEqual(before);
  });

  it('nothing for a refused request', async () => {
    const before = await newest(100);
    const refused = rpc.call(ctx, TABLES_RPC.archiveWorkspace, {
      workspaceId: 'ws_00000000000000000000000000',
    });
    await expect(refused).rejects.toMatchObject({ code: 'workspace_not_found' });
    expect(await newest(100)).toEqual(before);
  });
});
