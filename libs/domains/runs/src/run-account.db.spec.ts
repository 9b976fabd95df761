import { beforeAll, describe, expect, it } from '@jest/globals';
import { CreditLedger, SpendLimitStore } from '@quarry/credit-ledger';
import { createLogger, newId, systemCtx, type Ctx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { useTestDatabase, openWorkspace, testCtx } from '@quarry/testing';
import { RunEnding } from './agent/run-ending.js';
import { RunAgent } from './agent/run-agent.js';
import { RunLeaseStore, type LeasedRun, type RunQueue } from './execution/run-lease.store.js';
import { RunHandedOverError } from './agent/run-script.js';
import { StepJournals } from './execution/step-journal.js';
import { RunStore } from './run.store.js';
import { RunAccount, sourcingSteps } from './run-account.js';

const test = useTestDatabase();
let db: Database;
let ledger: CreditLedger;
let account: RunAccount;
let leases: RunLeaseStore;
let store: RunStore;
let orgs = 0;

beforeAll(() => {
  db = test.database;
  ledger = new CreditLedger(db);
  account = new RunAccount(db, ledger);
  leases = new RunLeaseStore(db);
  const workspaces = {
    createWorkspace: (at: Ctx) => openWorkspace(db, at),
    workspaceExists: () => Promise.resolve(true),
  };
  store = new RunStore(db, { workspaces, deliver: () => Promise.resolve(), appUrl: 'http://app.test' });
});

async function tenant(credits: number): Promise<Ctx> {
  const ctx = testCtx(`org_web${++orgs}`, { keyId: `key_${orgs}` });
  if (credits > 0)
    await ledger.grantCredits(ctx, { id: `grant_web${orgs}`, amount: credits * 1000, reason: 'spec' });
  return ctx;
}

/** Creates a run that an agent has planned and handed over. @returns its id */
async function handedOver(ctx: Ctx): Promise<string> {
  const { id } = await store.createRun(ctx, { prompt: 'ski shops' }, null);
  expect(await leases.handOver((await leases.claimRun(id))!, 'sourcing-runs')).toBe(true);
  return id;
}

const deliveries: Array<[RunQueue, string]> = [];
function agent(perform: (run: LeasedRun) => Promise<void>, queue: RunQueue = 'agent-runs'): RunAgent {
  const workspaces = {
    createWorkspace: (at: Ctx) => openWorkspace(db, at),
    workspaceExists: () => Promise.resolve(true),
  };
  return new RunAgent(
    leases,
    new StepJournals(db),
    { performRun: perform } as never,
    workspaces,
    { isKeyRevoked: () => Promise.resolve(false) },
    new RunEnding(
      db,
      leases,
      { cancelLines: async () => undefined } as never,
      { skipPending: async () => undefined } as never,
      account,
    ),
    async (queue, runId) => void deliveries.push([queue, runId]),
    createLogger('spec', 'silent'),
    queue,
  );
}

const names = sourcingSteps(0);
/** Performs steps of a table at the given costs, as a run does. @returns the amount of the hold */
async function steps(
  run: LeasedRun,
  most: number,
  ...done: Array<[kind: string, cost: number]>
): Promise<number> {
  const journal = new StepJournals(db).openJournal(run);
  const { amount } = await account.holdCredits(run, journal, names, most);
  for (const [position, [kind, cost]] of done.entries())
    await journal.runStep(
      names.at(position),
      () => ({ kind }),
      () => Promise.resolve({ cost }),
    );
  return amount;
}
const settled = (run: LeasedRun, isCharged: boolean) =>
  db.transaction(run.ctx, (tx) => account.settleHold(tx, run, { isCharged }));
const balance = async (ctx: Ctx) => {
  const { available, reserved, spent } = await ledger.readBalance(ctx);
  return [available, reserved, spent];
};
const statusOf = async (ctx: Ctx, id: string): Promise<unknown> =>
  (JSON.parse(await store.readRun(ctx, id)) as { status: unknown }).status;
const expire = async (id: string): Promise<string[]> => {
  await db.query(systemCtx('spec'), "UPDATE runs.runs SET lease_until = '-infinity' WHERE id = $1", [id]);
  return leases.reapLost();
};

describe('a run that is handed over to the sourcing queue', () => {
  it('stays running, is delivered to that queue, and can be claimed there only', async () => {
    const ctx = await tenant(10);
    const { id } = await store.createRun(ctx, { prompt: 'ski shops' }, null);
    await agent(() => Promise.reject(new RunHandedOverError('The run looks on the web.'))).takeTurn({
      runId: id,
    });
    expect([await statusOf(ctx, id), deliveries.at(-1)]).toEqual(['running', ['sourcing-runs', id]]);
    expect(await leases.claimRun(id)).toBeNull();
    await db.query(ctx, "UPDATE runs.runs SET delivered_at = '-infinity' WHERE id = $1", [id]);
    expect([await leases.takeSilent(), await leases.takeSilent('sourcing-runs')]).toEqual([[], [id]]);
    expect(await leases.claimRun(id, 'sourcing-runs')).toMatchObject({
      id,
      queue: 'sourcing-runs',
      leaseLosses: 0,
    });
    expect(await leases.claimRun(id, 'sourcing-runs')).toBeNull();
  });

  it('ends at once if it is cancelled before a worker claims it', async () => {
    const ctx = await tenant(10);
    const id = await handedOver(ctx);
    expect((await store.cancelRun(ctx, id)).accepted).toBe(true);
    expect([await statusOf(ctx, id), await leases.claimRun(id, 'sourcing-runs')]).toEqual([
      'cancelled',
      null,
    ]);
  });
});

describe('credits for searching the web', () => {
  it.each([
    ['this version', []],
    ['a version whose holds do not say what they pay for', ['paysFor']],
  ])('are held once, and charged from the step journal of %s', async (_, unknown) => {
    const ctx = await tenant(10);
    const run = (await leases.claimRun(await handedOver(ctx), 'sourcing-runs'))!;
    expect(await steps(run, 60_000, ['search', 500], ['read', 1000], ['think', 1000])).toBe(10_000);
    const older = 'UPDATE runs.steps SET input = input - $2::text[] WHERE run_id = $1';
    await db.query(systemCtx('spec'), older, [run.id, unknown]);
    // The next agent finds the hold and the steps.
    expect(await steps(run, 60_000)).toBe(10_000);
    expect(await balance(ctx)).toEqual([0, 10_000, 0]);
    await settled(run, true);
    expect(await balance(ctx)).toEqual([7_500, 0, 2_500]);
    // The same end has no effect a second time; a different end is rejected.
    await settled(run, true);
    await expect(settled(run, false)).rejects.toThrow('ended elsewhere');
    expect(await balance(ctx)).toEqual([7_500, 0, 2_500]);
  });

  it.each<[string, boolean, Array<[string, number]>]>([
    [
      'no page was read',
      true,
      [
        ['search', 500],
        ['think', 1000],
        ['read', 0],
      ],
    ],
    [
      'the run has failed',
      false,
      [
        ['read', 1000],
        ['think', 1000],
      ],
    ],
  ])('are not charged if %s', async (_, isCharged, done) => {
    const ctx = await tenant(10);
    const run = (await leases.claimRun(await handedOver(ctx), 'sourcing-runs'))!;
    await steps(run, 5_000, ...done);
    expect(await balance(ctx)).toEqual([5_000, 5_000, 0]);
    await settled(run, isCharged);
    expect(await balance(ctx)).toEqual([10_000, 0, 0]);
  });

  describe.each<[string, Array<[string, number]>, number]>([
    [
      'what was used',
      [
        ['read', 1000],
        ['think', 1000],
      ],
      2_000,
    ],
    ['nothing where no page was read', [['think', 1000]], 0],
  ])('remain held after a table was searched: %s', (_, done, kept) => {
    const keep = (run: LeasedRun) => account.keepUsed(run, new StepJournals(db).openJournal(run), names);
    const looked = async (): Promise<[Ctx, LeasedRun]> => {
      const ctx = await tenant(10);
      const run = (await leases.claimRun(await handedOver(ctx), 'sourcing-runs'))!;
      await steps(run, 10_000, ...done);
      expect(await balance(ctx)).toEqual([0, 10_000, 0]);
      await keep(run);
      return [ctx, run];
    };

    it.each([
      [true, kept],
      [false, 0],
    ])('until the end of the run, where charged is %s', async (isCharged, spent) => {
      const [ctx, run] = await looked();
      await keep(run);
      expect(await balance(ctx)).toEqual([10_000 - kept, kept, 0]);
      // Later steps of the run can be paid.
      expect(await ledger.holdCredits(ctx, { id: `${run.id}_paid`, amount: 8_000 })).toEqual({
        kind: 'held',
      });
      for (let times = 0; times < 2; times += 1) await settled(run, isCharged);
      expect(await balance(ctx)).toEqual([2_000 - spent, 8_000, spent]);
    });

    it.each(['before', 'after'])('even if its worker was lost %s the ledger knew it', async (when) => {
      const [ctx, run] =
        when === 'after'
          ? await looked()
          : await (async (): Promise<[Ctx, LeasedRun]> => {
              const at = await tenant(10);
              const claimed = (await leases.claimRun(await handedOver(at), 'sourcing-runs'))!;
              await steps(claimed, 10_000, ...done);
              const first = await db.queryOne<{ held: string }>(
                at,
                "SELECT input ->> 'holdId' AS held FROM runs.steps WHERE run_id = $1 AND name = $2",
                [claimed.id, names.hold],
              );
              const begun = new StepJournals(db).openJournal(claimed).runStep(
                names.used,
                () => ({ ...first, holdId: newId('hold'), amount: kept }),
                () => Promise.reject(new Error('lost')),
              );
              await expect(begun).rejects.toThrow('lost');
              return [at, claimed];
            })();
      const sql = 'UPDATE runs.steps SET result = NULL, finished_at = NULL WHERE run_id = $1 AND name = $2';
      await db.query(systemCtx('spec'), sql, [run.id, names.used]);
      await settled(run, true);
      expect(await balance(ctx)).toEqual([10_000 - kept, 0, kept]);
    });
  });

  it.each<[string, string | null, number, number, object]>([
    ['the organisation', null, 3_500, 3_500, { amount: 3_500, refusal: null }],
    ['its key', 'key', 2_000, 2_000, { amount: 2_000, refusal: null }],
    ['the organisation, below one step', null, 999, 0, { amount: 0, refusal: 'capped' }],
  ])('are held up to a spend cap of %s', async (_, holder, cap, reserved, outcome) => {
    const ctx = await tenant(10);
    await new SpendLimitStore(db).setLimit(ctx, holder && ctx.keyId, { day: cap });
    const run = (await leases.claimRun(await handedOver(ctx), 'sourcing-runs'))!;
    const held = await account.holdCredits(run, new StepJournals(db).openJournal(run), names, 60_000);
    expect(held).toMatchObject(outcome);
    expect(await balance(ctx)).toEqual([10_000 - reserved, reserved, 0]);
  });

  it('are not held for a run that has ended or was taken over meanwhile', async () => {
    const ctx = await tenant(10);
    const id = await handedOver(ctx);
    const lost = (await leases.claimRun(id, 'sourcing-runs'))!;
    // The step has started when the lease is lost.
    const stale = new StepJournals(db).openJournal(lost);
    const begun = stale.runStep(
      names.hold,
      () => ({ holdId: newId('hold'), amount: 5_000, endsAt: 0 }),
      async () => {
        throw new Error('lost');
      },
    );
    await expect(begun).rejects.toThrow('lost');
    await expire(id);
    const taken = (await leases.claimRun(id, 'sourcing-runs'))!;
    await expect(account.holdCredits(lost, stale, names, 5_000)).rejects.toThrow('another agent');
    expect(await balance(ctx)).toEqual([10_000, 0, 0]);
    expect(await steps(taken, 5_000, ['read', 1000])).toBe(5_000);
    await db.transaction(ctx, async (tx) => {
      await leases.endRun(tx, taken, { status: 'cancelled', message: '' });
      await account.settleHold(tx, taken, { isCharged: false });
    });
    await expect(account.keepUsed(taken, new StepJournals(db).openJournal(taken), names)).rejects.toThrow(
      'another process',
    );
    expect(await balance(ctx)).toEqual([10_000, 0, 0]);
  });

  it('are not held if the balance covers no step', async () => {
    const ctx = await tenant(0.5);
    const run = (await leases.claimRun(await handedOver(ctx), 'sourcing-runs'))!;
    expect(await steps(run, 5_000)).toBe(0);
    await settled(run, true);
    expect(await balance(ctx)).toEqual([500, 0, 0]);
  });

  it('are released by the next worker after a worker is lost for the third time', async () => {
    const ctx = await tenant(10);
    const id = await handedOver(ctx);
    for (let leaseLosses = 0; leaseLosses < 3; leaseLosses += 1) {
      const run = (await leases.claimRun(id, 'sourcing-runs'))!;
      expect(run.leaseLosses).toBe(leaseLosses);
      await steps(run, 5_000, ['read', 1000]);
      expect(await expire(id)).toEqual([id]);
      expect(await statusOf(ctx, id)).toBe('recovering');
    }
    expect(await balance(ctx)).toEqual([5_000, 5_000, 0]);
    await agent(() => Promise.reject(new Error('not to be performed')), 'sourcing-runs').takeTurn({
      runId: id,
    });
    expect(JSON.parse(await store.readRun(ctx, id))).toMatchObject({
      status: 'failed',
      error: { code: 'run_lease_lost' },
    });
    expect(await balance(ctx)).toEqual([10_000, 0, 0]);
  });
});
