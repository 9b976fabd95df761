import { beforeAll, describe, expect, it } from '@jest/globals';
import type { UsagePart } from '@quarry/dto';
import { CursorSigner, type Ctx } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { CreditLedger } from './credit-ledger.js';
import { CreditStatements, type StatementQuery } from './credit-statements.js';

/** Two organisations in both modes, each with its own balance, in thousandths of a credit. */
const TENANTS: Array<[Ctx, number]> = [
  [testCtx('org_a'), 1000],
  [testCtx('org_a', { mode: 'test' }), 2000],
  [testCtx('org_b'), 3000],
  [testCtx('org_b', { mode: 'test' }), 4000],
];
const PAGE: StatementQuery = { limit: 1, cursor: null, service: null, batchId: null, runId: null };

interface Page {
  items: Array<{ id: string; amount: number }>;
  next_cursor: string | null;
}

describe('credits of an organisation in one mode', () => {
  const test = useTestDatabase();
  let ledger: CreditLedger;
  let statements: CreditStatements;

  beforeAll(async () => {
    ledger = new CreditLedger(test.database);
    statements = new CreditStatements(test.database, new CursorSigner([{ id: 'k1', secret: 'spec' }]));
    for (const [ctx, amount] of TENANTS)
      for (const half of [1, 2])
        await ledger.grantCredits(ctx, {
          id: `${ctx.orgId}-${ctx.mode}-${half}`,
          amount: amount / 2,
          reason: 'top-up',
        });
  });

  const pageOf = async (ctx: Ctx, query: Partial<StatementQuery> = {}) =>
    JSON.parse(await statements.listEntries(ctx, { ...PAGE, ...query })) as Page;

  it('have their own balance', async () => {
    for (const [ctx, amount] of TENANTS) expect((await ledger.readBalance(ctx)).available).toBe(amount);
  });

  it('have their own outlook', async () => {
    for (const [ctx, amount] of TENANTS) {
      expect(await ledger.readOutlook(ctx, amount)).toEqual({ kind: 'held' });
      expect(await ledger.readOutlook(ctx, amount + 1)).toEqual({ kind: 'insufficient' });
    }
  });

  it('have their own entries, and no others', async () => {
    for (const [ctx, amount] of TENANTS) {
      const { items, next_cursor: next } = await pageOf(ctx, { limit: 10 });
      expect(items.map((entry) => entry.id)).toEqual(
        [2, 1].map((half) => `${ctx.orgId}-${ctx.mode}-${half}`),
      );
      expect([items.reduce((sum, entry) => sum + entry.amount, 0), next]).toEqual([amount / 1000, null]);
    }
  });

  it('are paged by cursors that open nothing of another tenant', async () => {
    const [[mine]] = TENANTS as [[Ctx, number]];
    const { next_cursor: cursor } = await pageOf(mine);
    expect((await pageOf(mine, { cursor })).items).toMatchObject([{ id: 'org_a-live-1' }]);
    for (const [ctx] of TENANTS.slice(1))
      await expect(pageOf(ctx, { cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it.each([{ service: 'getEmail' }, { batchId: 'svcbatch_1' }, { runId: 'run_1' }])(
    'are paged by cursors that are valid for one filter of entries, not for %j',
    async (choice) => {
      const [[mine]] = TENANTS as [[Ctx, number]];
      const { next_cursor: cursor } = await pageOf(mine);
      await expect(pageOf(mine, { ...choice, cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
    },
  );

  it('are summed by day, service, run and key, from their own charges alone', async () => {
    for (const [ctx] of TENANTS)
      for (const [index, service] of ['getEmail', 'getEmail', 'scrapeUrl'].entries()) {
        const id = `${ctx.orgId}-${ctx.mode}-used-${index}`;
        const hold = { id, amount: 100, service, ...(index === 0 ? { runId: 'run_1' } : {}) };
        await ledger.holdCredits({ ...ctx, keyId: `key_of_${ctx.orgId}` }, hold);
        expect(await ledger.resolveAll(ctx, [{ holdId: id, amount: 100 - index * 10 }])).toEqual([
          { kind: 'resolved' },
        ]);
      }
    const [[mine]] = TENANTS as [[Ctx, number]];
    const sums = async (by: UsagePart) =>
      (JSON.parse(await statements.sumUsage(mine, by, 1)) as { items: unknown[] }).items;
    expect(await sums('service')).toEqual([
      { key: 'getEmail', credits: 0.19, charges: 2 },
      { key: 'scrapeUrl', credits: 0.08, charges: 1 },
    ]);
    expect(await sums('run')).toEqual([
      { key: null, credits: 0.17, charges: 2 },
      { key: 'run_1', credits: 0.1, charges: 1 },
    ]);
    expect(await sums('key')).toEqual([{ key: 'key_of_org_a', credits: 0.27, charges: 3 }]);
    expect(await sums('day')).toMatchObject([{ credits: 0.27, charges: 3 }]);
  });
});
