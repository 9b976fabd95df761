import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type Ctx } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { CreditLedger } from './credit-ledger.js';
import { SpendLimitStore, type NewCaps } from './spend-limits.js';

const test = useTestDatabase();
let ledger: CreditLedger;
let limits: SpendLimitStore;
let orgs = 0;

beforeAll(() => {
  ledger = new CreditLedger(test.database);
  limits = new SpendLimitStore(test.database);
});
// Balances and counters agree with the transfers after every test, whatever happened in it.
afterEach(async () => expect(await ledger.auditLedger(testCtx(''))).toEqual([]));

/** An organisation with 100 credits, asking with one of its keys. */
async function rich(): Promise<Ctx> {
  const ctx = testCtx(`org_${++orgs}`, { keyId: 'key_a' });
  await ledger.grantCredits(ctx, { id: newId('led'), amount: 100_000, reason: 'top-up' });
  return ctx;
}

const hold = async (ctx: Ctx, amount: number, id: string = newId('hold')) =>
  (await ledger.holdCredits(ctx, { id, amount })).kind;
const used = async (ctx: Ctx, holder: string | null) => {
  const { day, month } = await limits.readLimit(ctx, holder);
  return [day.used, month.used];
};

describe('a spend cap', () => {
  const WAYS: Array<[string, string | null, NewCaps]> = [
    ['of the organisation, by day', null, { day: 10_000 }],
    ['of the organisation, by month', null, { month: 10_000 }],
    ['of a key, by day', 'key_a', { day: 10_000 }],
    ['of a key, by month', 'key_a', { month: 10_000 }],
    ['that is the lower of two', 'key_a', { day: 50_000, month: 10_000 }],
  ];

  it.each(WAYS)('%s allows exactly its credits when 64 holds race for them', async (_name, holder, caps) => {
    const ctx = await rich();
    await limits.setLimit(ctx, holder, caps);
    const outcomes = await Promise.all(Array.from({ length: 64 }, () => hold(ctx, 1000)));
    expect(outcomes.filter((kind) => kind === 'held')).toHaveLength(10);
    expect(outcomes.filter((kind) => kind === 'capped')).toHaveLength(54);
    expect(await ledger.readBalance(ctx)).toMatchObject({ available: 90_000, reserved: 10_000 });
    expect(await used(ctx, holder)).toEqual([10, 10]);
  });

  it.each(WAYS)(
    '%s allows exactly its credits to holds written in one group',
    async (_name, holder, caps) => {
      const ctx = await rich();
      await limits.setLimit(ctx, holder, caps);
      const entries = Array.from({ length: 50 }, () => ({
        hold: newId('hold'),
        account: `${ctx.orgId}:live`,
        amount: 1500,
        key_id: ctx.keyId,
      }));
      const rows = await test.database.query<{ outcome: string }>(
        ctx,
        'SELECT outcome FROM credits.judge_holds($1::jsonb)',
        [JSON.stringify(entries)],
      );
      const count = (kind: string) => rows.filter(({ outcome }) => outcome === kind).length;
      expect([count('held'), count('capped')]).toEqual([6, 44]);
      expect(await used(ctx, holder)).toEqual([9, 9]);
    },
  );

  it('gets back the part of a hold that was not charged', async () => {
    const ctx = await rich();
    await limits.setLimit(ctx, null, { day: 10_000 });
    await hold(ctx, 6000, `${ctx.orgId}-1`);
    await hold(ctx, 4000, `${ctx.orgId}-2`);
    expect(await hold(ctx, 1)).toBe('capped');
    await ledger.postHold(ctx, `${ctx.orgId}-1`, 2500);
    await ledger.postHold(ctx, `${ctx.orgId}-1`, 2500);
    expect(await used(ctx, null)).toEqual([6.5, 6.5]);
    await ledger.voidHold(ctx, `${ctx.orgId}-2`);
    expect(await used(ctx, null)).toEqual([2.5, 2.5]);
    expect([await hold(ctx, 7501), await hold(ctx, 7500)]).toEqual(['capped', 'held']);
  });

  it('does not affect existing holds, and is reported differently from an empty balance', async () => {
    const ctx = await rich();
    expect(await hold(ctx, 9000, `${ctx.orgId}-1`)).toBe('held');
    await limits.setLimit(ctx, null, { day: 9000 });
    expect(await hold(ctx, 9000, `${ctx.orgId}-1`)).toBe('held');
    expect([await hold(ctx, 1), await hold(ctx, 100_000)]).toEqual(['capped', 'insufficient']);
    expect([
      (await ledger.readOutlook(ctx, 1)).kind,
      (await ledger.readOutlook(ctx, 100_000)).kind,
      (await ledger.readOutlook(ctx, 0)).kind,
    ]).toEqual(['capped', 'insufficient', 'held']);
  });

  it('counts usage from before it was set, and nothing after it is removed', async () => {
    const ctx = await rich();
    await hold(ctx, 3000);
    await limits.setLimit(ctx, 'key_a', { day: 5000, month: 4000 });
    expect([await hold(ctx, 1001), await hold(ctx, 1000)]).toEqual(['capped', 'held']);
    await limits.setLimit(ctx, 'key_a', { month: null });
    expect([await hold(ctx, 1001), await hold(ctx, 1000)]).toEqual(['capped', 'held']);
    await limits.setLimit(ctx, 'key_a', { day: null });
    expect(await hold(ctx, 90_000)).toBe('held');
  });

  it('applies to one organisation, mode and key', async () => {
    const ctx = await rich();
    const testMode: Ctx = { ...ctx, mode: 'test' };
    const otherKey: Ctx = { ...ctx, keyId: 'key_b' };
    const nobody: Ctx = { ...ctx, keyId: null };
    await ledger.grantCredits(testMode, { id: newId('led'), amount: 10_000, reason: 'test' });
    await limits.setLimit(ctx, 'key_a', { day: 0 });
    expect(await hold(ctx, 1)).toBe('capped');
    for (const other of [testMode, otherKey, nobody, await rich()]) expect(await hold(other, 1)).toBe('held');
    await limits.setLimit(ctx, null, { day: 2 });
    for (const other of [otherKey, nobody]) expect(await hold(other, 1)).toBe('capped');
    expect(await used(ctx, null)).toEqual([0.002, 0.002]);
    expect(await used(ctx, 'key_b')).toEqual([0.001, 0.001]);
  });

  it('covers one UTC day or month', async () => {
    const ctx = await rich();
    const account = `${ctx.orgId}:spec`;
    await test.database.query(
      testCtx(account),
      `INSERT INTO credits.accounts (id, org_id, mode) VALUES ($1, $1, 'live')`,
      [account],
    );
    const caps = `INSERT INTO credits.caps (account_id, key_id, period, amount) VALUES ($1, '', 'day', 100), ($1, '', 'month', 250)`;
    await test.database.query(ctx, caps, [account]);
    const usage = `INSERT INTO credits.usage (account_id, day, key_id, used)
      VALUES ($1, '2026-03-31', 'key_a', 90), ($1, '2026-04-01', 'key_a', 60), ($1, '2026-04-02', '', 90), ($1, '2026-04-03', '', 80)`;
    await test.database.query(ctx, usage, [account]);
    const room = async (at: string) =>
      (await test.database.queryOne<{ room: string }>(
        ctx,
        `SELECT credits.room_under_caps($1, '', $2) AS room`,
        [account, at],
      ))!.room;
    const amounts: string[] = [];
    for (const at of [
      '03-31T23:59:59.999Z',
      '04-01T00:00:00Z',
      '04-02T12:00:00+00',
      '04-03T01:00:00+02',
      '04-03T23:59:59Z',
      '04-30T12:00:00Z',
      '05-01T00:00:00Z',
    ])
      amounts.push(await room(`2026-${at}`));
    // March 31; April 1; April 2, by its month of 150 the day's 10; still April 2 in UTC; April 3 by the month; idle days.
    expect(amounts.map(Number)).toEqual([10, 40, 10, 10, 20, 20, 100]);
    await test.database.query(ctx, 'DELETE FROM credits.usage WHERE account_id = $1', [account]);
  });

  it('is shown with its usage and the time of its next reset', async () => {
    const ctx = await rich();
    await limits.setLimit(ctx, null, { day: 12_500 });
    await hold(ctx, 1250);
    const shown = await limits.readLimit(ctx, null);
    expect(shown).toEqual({
      day: { cap: 12.5, used: 1.25, resets_at: expect.stringMatching(/T00:00:00\.000Z$/) as unknown },
      month: { cap: null, used: 1.25, resets_at: expect.stringMatching(/-01T00:00:00\.000Z$/) as unknown },
    });
  });
});
