import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testCtx, type TestDatabase } from '../database/spec-kit.js';
import { waitFor } from '@quarry/test-servers';
import { AuditLog, recordAudit } from './audit-log.js';

describe('the audit log', () => {
  let test: TestDatabase;
  let log: AuditLog;
  beforeAll(async () => {
    test = await createTestDatabase();
    log = new AuditLog(test.database);
  });
  afterAll(() => test.drop());

  const write = async (orgId: string, count: number) => {
    for (let n = 1; n <= count; n += 1)
      await recordAudit(test.database, testCtx(orgId), {
        action: 'key.revoked',
        object: `key_${n}`,
        facts: { n },
      });
  };
  /** Modifies rows as an owner of the database could. */
  const tamper = (sql: string) => test.asAdmin(`SET session_replication_role = replica; ${sql}`);

  it('records who did what to what, from where and in which request, newest first', async () => {
    const ctx = testCtx('org_who', {
      keyId: 'key_1',
      mode: 'test',
      requestId: 'req_1',
      address: '192.0.2.1',
    });
    await recordAudit(test.database, ctx, { action: 'workspace.archived', object: 'ws_1' });
    await recordAudit(test.database, testCtx('org_who'), {
      action: 'limits.set',
      object: 'key_1',
      facts: { day: 1.5 },
    });
    const [second, first] = await log.listEntries(ctx, 10);
    expect(first).toEqual({
      number: 1,
      at: expect.any(Date),
      actor: { kind: 'key', id: 'key_1' },
      mode: 'test',
      action: 'workspace.archived',
      object: 'ws_1',
      address: '192.0.2.1',
      requestId: 'req_1',
      facts: {},
    });
    expect(second).toMatchObject({ number: 2, actor: { kind: 'operator', id: null }, facts: { day: 1.5 } });
    expect(await log.listEntries(testCtx('org_else'), 10)).toEqual([]);
  });

  it.each([
    "UPDATE identity.audit_events SET object = 'x'",
    "DELETE FROM identity.audit_events WHERE object = 'x'",
    'TRUNCATE identity.audit_events',
  ])('cannot be changed, not even by its owner: %s', async (sql) => {
    await write('org_fixed', 1);
    await expect(test.database.query(testCtx('org_fixed'), sql)).rejects.toThrow('permission denied');
    await expect(test.asOwner(sql)).rejects.toThrow('append-only');
  });

  it('keeps one chain under concurrent writes, and nothing of a failed transaction', async () => {
    const ctx = testCtx('org_many');
    const failing = test.database.transaction(ctx, async (tx) => {
      await recordAudit(test.database, tx, { action: 'key.created', object: 'key_never' });
      throw new Error('not so');
    });
    await expect(failing).rejects.toThrow('not so');
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        recordAudit(test.database, ctx, { action: 'key.created', object: `key_${n}` }),
      ),
    );
    expect(await log.verifyChain(ctx)).toMatchObject({ kind: 'intact', head: { number: 20 } });
    expect((await log.listEntries(ctx, 100)).map(({ object }) => object)).not.toContain('key_never');
  });

  it('makes the second writer wait for the first, and continue its chain', async () => {
    const ctx = testCtx('org_turns');
    let second: Promise<void> = Promise.resolve();
    await test.database.transaction(ctx, async (tx) => {
      await recordAudit(test.database, tx, { action: 'key.created', object: 'key_first' });
      second = recordAudit(test.database, ctx, { action: 'key.created', object: 'key_second' });
      // Checked below; without a handler an earlier rejection would be unhandled.
      second.catch(() => undefined);
      await waitFor('the second to wait', () =>
        test.database.queryOne(
          ctx,
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        ),
      );
    });
    await second;
    expect((await log.listEntries(ctx, 10)).map(({ object }) => object)).toEqual(['key_second', 'key_first']);
    expect(await log.verifyChain(ctx)).toMatchObject({ kind: 'intact' });
  });

  it.each([
    ['changed', 'UPDATE identity.audit_events SET object = $$key_9$$ WHERE org_id = $org AND number = 2', 2],
    ['taken out', 'DELETE FROM identity.audit_events WHERE org_id = $org AND number = 2', 3],
    ['taken away first', 'DELETE FROM identity.audit_events WHERE org_id = $org AND number = 1', 2],
  ])('detects that an event was %s without its knowledge', async (what, sql, number) => {
    const orgId = `org_${what.replaceAll(' ', '_')}`;
    await write(orgId, 4);
    expect(await log.verifyChain(testCtx(orgId))).toMatchObject({ kind: 'intact' });
    await tamper(sql.replace('$org', `'${orgId}'`));
    expect(await log.verifyChain(testCtx(orgId))).toEqual({ kind: 'broken', number });
  });

  it('detects a truncated end with a chain head that was recorded elsewhere', async () => {
    const ctx = testCtx('org_cut');
    await write('org_cut', 3);
    const verdict = await log.verifyChain(ctx);
    const head = verdict.kind === 'intact' ? verdict.head : null;
    await write('org_cut', 1);
    expect(await log.verifyChain(ctx, head)).toMatchObject({ kind: 'intact', head: { number: 4 } });
    await tamper("DELETE FROM identity.audit_events WHERE org_id = 'org_cut' AND number >= 3");
    expect(await log.verifyChain(ctx)).toMatchObject({ kind: 'intact' });
    expect(await log.verifyChain(ctx, head)).toEqual({ kind: 'broken', number: 3 });
  });
});
