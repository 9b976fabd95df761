import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Ctx } from '@quarry/app';
import type { Database, TxCtx } from '@quarry/postgres';
import { useTestDatabase, runBehind, testCtx } from '@quarry/testing';
import { CreditLedger } from './credit-ledger.js';

const test = useTestDatabase();
let db: Database;
let ledger: CreditLedger;
let orgs = 0;

beforeAll(() => {
  db = test.database;
  ledger = new CreditLedger(db);
});

const freshOrg = (): Ctx => testCtx(`org_${++orgs}`);
const sums = async (ctx: Ctx) => {
  const { available, reserved, spent, granted } = await ledger.readBalance(ctx);
  return { available, reserved, spent, granted };
};

describe('the ledger', () => {
  it('reserves a hold, charges part of it and releases the rest', async () => {
    const ctx = freshOrg();
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 10_000, reason: 'top-up' });
    expect(await ledger.holdCredits(ctx, { id: `${ctx.orgId}-h`, amount: 3000 })).toEqual({ kind: 'held' });
    expect(await sums(ctx)).toEqual({ available: 7000, reserved: 3000, spent: 0, granted: 10_000 });
    expect(await ledger.postHold(ctx, `${ctx.orgId}-h`, 1000)).toEqual({ kind: 'resolved' });
    expect(await sums(ctx)).toEqual({ available: 9000, reserved: 0, spent: 1000, granted: 10_000 });
  });

  it('never charges more than the hold, and leaves the hold open when asked to', async () => {
    const ctx = freshOrg();
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 5000, reason: 'top-up' });
    await ledger.holdCredits(ctx, { id: `${ctx.orgId}-h`, amount: 1000 });
    expect(await ledger.postHold(ctx, `${ctx.orgId}-h`, 1001)).toEqual({ kind: 'refused' });
    expect(await sums(ctx)).toEqual({ available: 4000, reserved: 1000, spent: 0, granted: 5000 });
  });

  it('keeps live and test balances separate', async () => {
    const ctx = freshOrg();
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 5000, reason: 'top-up', mode: 'test' });
    expect(await ledger.holdCredits(ctx, { id: `${ctx.orgId}-h`, amount: 1 })).toEqual({
      kind: 'insufficient',
    });
    expect((await ledger.readBalance({ ...ctx, mode: 'test' })).available).toBe(5000);
  });

  it('grants holds for exactly the balance when 200 of them race for it', async () => {
    const ctx = freshOrg();
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 137_000, reason: 'top-up' });
    const race = Array.from({ length: 200 }, (_, i) =>
      ledger.holdCredits(ctx, { id: `${ctx.orgId}-h${i}`, amount: 1000 }),
    );
    const held = (await Promise.all(race)).filter((outcome) => outcome.kind === 'held');
    expect(held).toHaveLength(137);
    expect(await sums(ctx)).toEqual({ available: 0, reserved: 137_000, spent: 0, granted: 137_000 });
  });

  it('settles a hold once when a charge and a release race', async () => {
    const ctx = freshOrg();
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 100_000, reason: 'top-up' });
    const ids = Array.from({ length: 50 }, (_, i) => `${ctx.orgId}-h${i}`);
    await Promise.all(ids.map((id) => ledger.holdCredits(ctx, { id, amount: 1000 })));
    const races = await Promise.all(
      ids.map((id) => Promise.all([ledger.postHold(ctx, id, 700), ledger.voidHold(ctx, id)])),
    );
    for (const [posted, voided] of races)
      expect([posted.kind, voided.kind].sort()).toEqual(['refused', 'resolved']);
    const spent = races.filter(([posted]) => posted.kind === 'resolved').length * 700;
    expect(await sums(ctx)).toEqual({ available: 100_000 - spent, reserved: 0, spent, granted: 100_000 });
  });

  it('counts what an uncommitted transaction spends when it checks the balance for a hold', async () => {
    const ctx = freshOrg();
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 1000, reason: 'top-up' });
    const hold = (at: Ctx | TxCtx, name: string) =>
      ledger.holdCredits(at, { id: `${ctx.orgId}-${name}`, amount: 1000 });
    const second = runBehind(
      db,
      ctx,
      (tx) => hold(tx, 'h1'),
      () => hold(ctx, 'h2'),
    );
    expect(await second).toEqual({ kind: 'insufficient' });
  });

  it.each([
    ['first', ['h1', 'h2']],
    ['second', ['h2', 'h1']],
  ])('settles holds in opposite order without a deadlock, the %s before the other', async (_, order) => {
    const ctx = freshOrg();
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 2000, reason: 'top-up' });
    for (const name of ['h1', 'h2'])
      await ledger.holdCredits(ctx, { id: `${ctx.orgId}-${name}`, amount: 1000 });
    const [one, two] = order.map((name) => `${ctx.orgId}-${name}`) as [string, string];
    const ends = [two, one].map((hold) => ({ id: `${hold}-e`, hold, amount: 700 }));
    const group = await runBehind(
      db,
      ctx,
      (tx) => ledger.postHold(tx, one, 700),
      () => db.query(ctx, 'SELECT credits.resolve_holds($1::jsonb)', [JSON.stringify(ends)]),
      { meanwhile: async (tx) => expect(await ledger.postHold(tx, two, 700)).toEqual({ kind: 'resolved' }) },
    );
    expect(group).toHaveLength(2);
    expect(await sums(ctx)).toEqual({ available: 600, reserved: 0, spent: 1400, granted: 2000 });
  });

  it.each([
    ['sums_agree', 'available = available + 1'],
    ['available_not_negative', 'available = available - 2000, spent = spent + 2000'],
    ['reserved_not_negative', 'reserved = reserved - 1, spent = spent + 1'],
    ['spent_not_negative', 'spent = spent - 1, reserved = reserved + 1'],
  ])('keeps %s whoever writes', async (constraint, change) => {
    const ctx = freshOrg();
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 1000, reason: 'top-up' });
    const write = db.query(ctx, `UPDATE credits.accounts SET ${change} WHERE org_id = $1`, [ctx.orgId]);
    await expect(write).rejects.toThrow(constraint);
  });

  it('never lets a transfer be changed or deleted', async () => {
    const ctx = freshOrg();
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 1000, reason: 'top-up' });
    await expect(test.asOwner('UPDATE credits.transfers SET amount = 1')).rejects.toThrow('append-only');
    await expect(test.asOwner('DELETE FROM credits.transfers')).rejects.toThrow('append-only');
    await expect(test.asOwner('TRUNCATE credits.transfers CASCADE')).rejects.toThrow('append-only');
  });

  it('refuses an adjustment that exceeds the available balance', async () => {
    const ctx = freshOrg();
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 1000, reason: 'top-up' });
    const take = ledger.grantCredits(ctx, {
      id: `${ctx.orgId}-a`,
      amount: -1001,
      kind: 'adjustment',
      reason: 'correction',
    });
    await expect(take).rejects.toThrow('available_not_negative');
    expect(await sums(ctx)).toEqual({ available: 1000, reserved: 0, spent: 0, granted: 1000 });
  });
});
