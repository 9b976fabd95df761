import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Ctx, Database } from '@quarry/platform';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { CreditLedger } from './credit-ledger.js';

let test: TestDatabase;
let db: Database;
let ledger: CreditLedger;
let orgs = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  db = test.database;
  ledger = new CreditLedger(db);
});
afterAll(() => test.drop());

const freshOrg = (): Ctx => testCtx(`org_${++orgs}`);
const sums = async (ctx: Ctx) => {
  const { available, reserved, spent, granted } = await ledger.balance(ctx);
  return { available, reserved, spent, granted };
};

describe('the ledger', () => {
  it('sets a hold aside, charges part of it and frees the rest', async () => {
    const ctx = freshOrg();
    await ledger.grant(ctx, { id: `${ctx.orgId}-g`, amount: 10_000, reason: 'top-up' });
    expect(await ledger.hold(ctx, { id: `${ctx.orgId}-h`, amount: 3000 })).toEqual({ kind: 'held' });
    expect(await sums(ctx)).toEqual({ available: 7000, reserved: 3000, spent: 0, granted: 10_000 });
    expect(await ledger.post(ctx, `${ctx.orgId}-h`, 1000)).toEqual({ kind: 'resolved' });
    expect(await sums(ctx)).toEqual({ available: 9000, reserved: 0, spent: 1000, granted: 10_000 });
  });

  it('never posts more than the hold, and leaves the hold open when asked to', async () => {
    const ctx = freshOrg();
    await ledger.grant(ctx, { id: `${ctx.orgId}-g`, amount: 5000, reason: 'top-up' });
    await ledger.hold(ctx, { id: `${ctx.orgId}-h`, amount: 1000 });
    expect(await ledger.post(ctx, `${ctx.orgId}-h`, 1001)).toEqual({ kind: 'refused' });
    expect(await sums(ctx)).toEqual({ available: 4000, reserved: 1000, spent: 0, granted: 5000 });
  });

  it('keeps live and test balances apart', async () => {
    const ctx = freshOrg();
    await ledger.grant(ctx, { id: `${ctx.orgId}-g`, amount: 5000, reason: 'top-up', mode: 'test' });
    expect(await ledger.hold(ctx, { id: `${ctx.orgId}-h`, amount: 1 })).toEqual({ kind: 'insufficient' });
    expect((await ledger.balance({ ...ctx, mode: 'test' })).available).toBe(5000);
  });

  it('holds exactly what the balance covers when 200 holds race for it', async () => {
    const ctx = freshOrg();
    await ledger.grant(ctx, { id: `${ctx.orgId}-g`, amount: 137_000, reason: 'top-up' });
    const race = Array.from({ length: 200 }, (_, i) =>
      ledger.hold(ctx, { id: `${ctx.orgId}-h${i}`, amount: 1000 }),
    );
    const held = (await Promise.all(race)).filter((outcome) => outcome.kind === 'held');
    expect(held).toHaveLength(137);
    expect(await sums(ctx)).toEqual({ available: 0, reserved: 137_000, spent: 0, granted: 137_000 });
  });

  it('resolves a hold once when a posting and a void race', async () => {
    const ctx = freshOrg();
    await ledger.grant(ctx, { id: `${ctx.orgId}-g`, amount: 100_000, reason: 'top-up' });
    const ids = Array.from({ length: 50 }, (_, i) => `${ctx.orgId}-h${i}`);
    await Promise.all(ids.map((id) => ledger.hold(ctx, { id, amount: 1000 })));
    const races = await Promise.all(
      ids.map((id) => Promise.all([ledger.post(ctx, id, 700), ledger.void(ctx, id)])),
    );
    for (const [posted, voided] of races)
      expect([posted.kind, voided.kind].sort()).toEqual(['refused', 'resolved']);
    const spent = races.filter(([posted]) => posted.kind === 'resolved').length * 700;
    expect(await sums(ctx)).toEqual({ available: 100_000 - spent, reserved: 0, spent, granted: 100_000 });
  });

  it('never lets a transfer be changed or removed', async () => {
    const ctx = freshOrg();
    await ledger.grant(ctx, { id: `${ctx.orgId}-g`, amount: 1000, reason: 'top-up' });
    await expect(db.query(ctx, 'UPDATE credits.transfers SET amount = 1')).rejects.toThrow('append-only');
    await expect(db.query(ctx, 'DELETE FROM credits.transfers')).rejects.toThrow('append-only');
    await expect(db.query(ctx, 'TRUNCATE credits.transfers CASCADE')).rejects.toThrow('append-only');
  });

  it('refuses an adjustment that would take more than is available', async () => {
    const ctx = freshOrg();
    await ledger.grant(ctx, { id: `${ctx.orgId}-g`, amount: 1000, reason: 'top-up' });
    const take = ledger.grant(ctx, {
      id: `${ctx.orgId}-a`,
      amount: -1001,
      kind: 'adjustment',
      reason: 'correction',
    });
    await expect(take).rejects.toThrow('available_not_negative');
    expect(await sums(ctx)).toEqual({ available: 1000, reserved: 0, spent: 0, granted: 1000 });
  });
});

/** The same rules in a few lines of memory. */
class Model {
  available = 0;
  granted = 0;
  spent = 0;
  readonly known = new Set<string>();
  readonly holds = new Map<string, { amount: number; end: number | null }>();
  get reserved(): number {
    return [...this.holds.values()].reduce((sum, hold) => sum + (hold.end === null ? hold.amount : 0), 0);
  }
}

type Step = { kind: 'grant' | 'hold' | 'post' | 'void'; slot: number; amount: number };

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('grant', 'hold', 'hold', 'post', 'post', 'void'),
  // Few ids, so that most steps repeat or contradict an earlier one.
  slot: fc.integer({ min: 0, max: 39 }),
  amount: fc.integer({ min: 1, max: 5000 }),
});

describe('the ledger against its model', () => {
  // One statement per step is bound by round trips; the steps of one walk run inside the database (see walk()), so
  // that a run makes 100,000 of them in seconds.
  const WALKS = 400;
  const STEPS = 250;

  it(`agrees after each of ${WALKS * STEPS} steps`, async () => {
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (walkSteps) => {
        const ctx = freshOrg();
        await ledger.grant(ctx, { id: `${ctx.orgId}-0`, amount: 1, reason: 'open' });
        const model = new Model();
        model.available = model.granted = 1;
        const seen = await walk(ctx, walkSteps);
        walkSteps.forEach((each, i) => {
          const answer = apply(model, each);
          expect({ i, ...seen[i]! }).toEqual({
            i,
            answer,
            available: model.available,
            reserved: model.reserved,
            spent: model.spent,
            granted: model.granted,
          });
          steps += 1;
        });
      }),
      { numRuns: WALKS, endOnFailure: true },
    );
    expect(steps).toBeGreaterThanOrEqual(100_000);
    expect(await ledger.audit(testCtx(''))).toEqual([]);
  }, 120_000);
});

function apply(model: Model, { kind, slot, amount }: Step): boolean {
  const hold = model.holds.get(`h${slot}`);
  if (kind === 'grant') {
    if (model.known.has(`g${slot}`)) return false;
    model.known.add(`g${slot}`);
    model.granted += amount;
    model.available += amount;
    return true;
  }
  if (kind === 'hold') {
    if (hold) return true;
    if (amount > model.available) return false;
    model.available -= amount;
    model.holds.set(`h${slot}`, { amount, end: null });
    return true;
  }
  if (!hold) return false;
  const post = kind === 'post' ? amount : 0;
  if (hold.end !== null) return hold.end === post;
  if (post > hold.amount) return false;
  hold.end = post;
  model.available += hold.amount - post;
  model.spent += post;
  return true;
}

interface Seen {
  answer: boolean;
  available: number;
  reserved: number;
  spent: number;
  granted: number;
}

/** Runs the steps on the real functions and tables, reading the account after each. */
async function walk(ctx: Ctx, steps: Step[]): Promise<Seen[]> {
  const row = await db.queryOne<{ seen: Seen[] }>(ctx, 'SELECT ledger_walk.walk($1, $2::jsonb) AS seen', [
    ctx.orgId,
    JSON.stringify(steps),
  ]);
  return row!.seen;
}

beforeAll(async () => {
  await db.query(testCtx(''), 'CREATE SCHEMA ledger_walk');
  await db.query(
    testCtx(''),
    `CREATE FUNCTION ledger_walk.walk(p_org text, p_steps jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
     DECLARE
       s record; v_answer boolean; v_seen jsonb[] := '{}'; v_account text := p_org || ':live'; a credits.accounts;
     BEGIN
       FOR s IN SELECT * FROM jsonb_to_recordset(p_steps) AS x (kind text, slot int, amount bigint) LOOP
         IF s.kind = 'grant' THEN
           v_answer := credits.grant_credits(p_org || '-g' || s.slot, v_account, p_org, 'live', s.amount, 'grant', 'walk');
         ELSIF s.kind = 'hold' THEN
           v_answer := EXISTS (SELECT credits.place_holds(jsonb_build_array(jsonb_build_object(
             'hold', p_org || '-h' || s.slot, 'account', v_account, 'amount', s.amount))));
         ELSE
           v_answer := EXISTS (SELECT credits.resolve_holds(jsonb_build_array(jsonb_build_object(
             'id', gen_random_uuid(), 'hold', p_org || '-h' || s.slot, 'amount', CASE s.kind WHEN 'post' THEN s.amount ELSE 0 END))));
         END IF;
         SELECT * INTO a FROM credits.accounts WHERE id = v_account;
         v_seen := v_seen || jsonb_build_object('answer', v_answer, 'available', a.available, 'reserved', a.reserved,
           'spent', a.spent, 'granted', a.granted);
       END LOOP;
       RETURN to_jsonb(v_seen);
     END $$`,
  );
});
