import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { IdempotentRequests } from '@quarry/postgres';
import { CreditLedger } from '@quarry/credit-ledger';
import { createLogger, newId, systemCtx, type Ctx } from '@quarry/app';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { BatchStore } from './batch.store.js';
import { JobLeaseStore, type ClaimedJob, type JobEnd } from './job-lease.store.js';
import { JobWorker, type Searcher } from './job-worker.js';

const system = systemCtx('spec');
const END: JobEnd = { state: 'completed', result: { found: false }, provider: 'p', charge: 0 };

let test: TestDatabase;
let leases: JobLeaseStore;
let people = 0;
const unlocks = new Set<() => Promise<void>>();

beforeAll(async () => {
  test = await createTestDatabase();
  leases = new JobLeaseStore(test.database);
});
afterEach(async () => {
  for (const unlock of unlocks) await unlock();
});
afterAll(async () => {
  expect(await new CreditLedger(test.database).auditLedger(system)).toEqual([]);
  await test.drop();
});

/** Runs a statement and keeps its locks in an open transaction. @returns a function that ends the transaction */
async function locked(sql: string, params: unknown[] = []): Promise<() => Promise<void>> {
  let open: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (open = resolve));
  let isLocked = false;
  const transaction = test.database.transaction(system, async (tx) => {
    await test.database.query(tx, sql, params);
    isLocked = true;
    await held;
  });
  await waitFor('the lock', () => Promise.resolve(isLocked));
  const unlock = async (): Promise<void> => {
    unlocks.delete(unlock);
    open();
    await transaction;
  };
  unlocks.add(unlock);
  return unlock;
}

const lockedAccount = (ctx: Ctx) =>
  locked('SELECT 1 FROM credits.accounts WHERE id = $1 FOR UPDATE', [`${ctx.orgId}:live`]);

async function fundedOrg(): Promise<Ctx> {
  const ctx = testCtx(newId('org'));
  const grant = { id: newId('led'), amount: 100_000, reason: 'top-up' };
  await new CreditLedger(test.database).grantCredits(ctx, grant);
  return ctx;
}

/** @returns the ids of new jobs of an organisation */
async function linesOf(ctx: Ctx, count: number): Promise<string[]> {
  let ids: string[] = [];
  const deliver = (_queue: string, jobIds: string[]) => Promise.resolve(void (ids = jobIds));
  const store = new BatchStore(
    test.database,
    new IdempotentRequests(test.database),
    new CreditLedger(test.database),
    deliver,
  );
  const inputs = Array.from({ length: count }, () => ({
    first_name: `P${++people}`,
    last_name: 'Doe',
    domain: 'acme.example',
  }));
  await store.createBatch(ctx, { service: 'getEmail', inputs });
  return ids;
}

async function startedLines(ctx: Ctx, count: number): Promise<ClaimedJob[]> {
  const ids = await linesOf(ctx, count);
  const jobs = await Promise.all(ids.map((id) => leases.claimJobs(id)));
  await Promise.all(jobs.map((job) => leases.startJobs(job!)));
  return jobs as ClaimedJob[];
}

describe('while the account of one organisation is locked', () => {
  it("another organisation's claims in the same group succeed, and the locked one's wait", async () => {
    const [stuck, free] = [await fundedOrg(), await fundedOrg()];
    const [stuckIds, freeIds] = [await linesOf(stuck, 5), await linesOf(free, 5)];
    const unlock = await lockedAccount(stuck);
    const claims = await Promise.all([...stuckIds, ...freeIds].map((id) => leases.claimJobs(id)));
    expect(claims.map((claim) => claim !== null)).toEqual([...Array(5).fill(false), ...Array(5).fill(true)]);
    await unlock();
    const later = await Promise.all(stuckIds.map((id) => leases.claimJobs(id)));
    expect(later.every((claim) => claim !== null)).toBe(true);
  });

  it("another's results are written, and the locked one's as soon as it is free, under the same lease", async () => {
    const [stuck, free] = [await fundedOrg(), await fundedOrg()];
    const [stuckJobs, freeJobs] = [await startedLines(stuck, 5), await startedLines(free, 5)];
    const unlock = await lockedAccount(stuck);
    let settledOfStuck = 0;
    const waiting = stuckJobs.map((job) => leases.settleJobs(job, END).finally(() => (settledOfStuck += 1)));
    expect(await Promise.all(freeJobs.map((job) => leases.settleJobs(job, END)))).toEqual(
      Array(5).fill(true),
    );
    expect(settledOfStuck).toBe(0);
    const { renewed, lost } = await leases.renewLeases(stuckJobs);
    expect([renewed.size, lost.size]).toEqual([5, 0]);
    await unlock();
    expect(await Promise.all(waiting)).toEqual(Array(5).fill(true));
  });

  it("a worker's message does not wait for the lock, and its line is searched once", async () => {
    const [stuck, free] = [await fundedOrg(), await fundedOrg()];
    const [stuckIds, freeIds] = [await linesOf(stuck, 3), await linesOf(free, 3)];
    const requests: string[] = [];
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const run: Searcher['answerCall'] = async ({ searchId }) => {
      requests.push(searchId);
      await answered;
      return { found: false, deep: false, provider: 'p', output: NO_EMAIL };
    };
    const worker = new JobWorker(leases, () => ({ answerCall: run }), createLogger('spec', 'silent'));
    const message = worker.workQueue(stuckIds);
    await waitFor('the searches', () => Promise.resolve(requests.length === 3));
    const unlock = await lockedAccount(stuck);
    answer();
    await message;
    await worker.workQueue(freeIds);
    expect(await ended(freeIds)).toBe(3);
    expect(await ended(stuckIds)).toBe(0);
    await unlock();
    await waitFor('the waiting ends', async () => (await ended(stuckIds)) === 3);
    expect(requests.sort()).toEqual([...stuckIds, ...freeIds].sort());
    await worker.stop(0);
  });
});

describe('while one line is locked', () => {
  it('the leases of the other lines are renewed, and the locked one is neither renewed nor lost', async () => {
    const jobs = await startedLines(await fundedOrg(), 3);
    await locked('SELECT 1 FROM jobs.jobs WHERE id = $1 FOR UPDATE', [jobs[1]!.id]);
    const { renewed, lost } = await leases.renewLeases(jobs);
    expect([[...renewed].sort(), [...lost]]).toEqual([[jobs[0]!.token, jobs[2]!.token].sort(), []]);
  });
});

describe('while the table of lines is locked for writing', () => {
  it('reads are still answered', async () => {
    const ctx = await fundedOrg();
    const jobs = await startedLines(ctx, 3);
    await locked('LOCK TABLE jobs.jobs IN SHARE MODE');
    const ends = jobs.map((job) => leases.settleJobs(job, END));
    const store = new BatchStore(
      test.database,
      new IdempotentRequests(test.database),
      new CreditLedger(test.database),
      () => Promise.resolve(),
    );
    const query = { limit: 10, offset: 0, status: null, service: null, batchId: null };
    const read = (): Promise<unknown> => Promise.all([store.listJobs(ctx, query), test.database.ping()]);
    for (let i = 0; i < 20; i += 1) await read();
    expect(await ended(jobs.map(({ id }) => id))).toBe(0);
    for (const unlock of unlocks) await unlock();
    expect(await Promise.all(ends)).toEqual([true, true, true]);
  });
});

const NO_EMAIL = { found: false, email: null, status: null };

async function ended(ids: string[]): Promise<number> {
  const sql = 'SELECT id FROM jobs.jobs WHERE id = ANY ($1) AND completed_at IS NOT NULL';
  return (await test.database.query(system, sql, [ids], 'read')).length;
}
