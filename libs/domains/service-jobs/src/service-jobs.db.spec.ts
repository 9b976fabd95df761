import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CreditLedger, SpendLimitStore } from '@quarry/credit-ledger';
import { createLogger, newId, RetentionTask, systemCtx, type Ctx } from '@quarry/app';
import { IdempotentRequests, type Database } from '@quarry/postgres';
import { ProviderFailure, type TrailStep } from '@quarry/engine';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { BatchStore } from './batch.store.js';
import { BatchWaiters } from './batch-waiters.js';
import { DeliveryReconciler } from './delivery-reconciler.js';
import { JobLeaseStore } from './job-lease.store.js';
import { JobWorker, type Searcher } from './job-worker.js';
import { lineRetention } from './retention.js';

interface BatchJson {
  batch_id: string;
  status: string;
  size: number;
  counts: Record<string, number>;
  jobs: Array<Record<string, unknown> & { job_id: string; status: string; reused: boolean; attempt: number }>;
}

let test: TestDatabase;
let db: Database;
let ledger: CreditLedger;
let leases: JobLeaseStore;
let orgs = 0;
const logger = createLogger('spec', 'silent');
const workers: JobWorker[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
  db = test.database;
  ledger = new CreditLedger(db);
  leases = new JobLeaseStore(db);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(0)));
});
afterAll(async () => {
  expect(await ledger.auditLedger(systemCtx('audit'))).toEqual([]);
  await test.drop();
});

async function fundedOrg(credits = 100): Promise<Ctx> {
  const ctx = testCtx(`org_${++orgs}`);
  await ledger.grantCredits(ctx, { id: `grant_${ctx.orgId}`, amount: credits * 1000, reason: 'top-up' });
  return ctx;
}

/** Expires the lease of a job, as when its worker hangs. */
async function expire({ id }: { id: string }): Promise<void> {
  await db.query(
    systemCtx('spec'),
    'UPDATE jobs.jobs SET lease_until = clock_timestamp() - interval $$1 second$$ WHERE id = $1',
    [id],
  );
}

const person = (n: number) => ({ first_name: `First${n}`, last_name: 'Last', domain: 'acme.example' });
const found = (email: string) => ({
  found: true,
  deep: false,
  provider: 'scripted',
  output: { found: true, email, status: 'verified', confidence: 'high', provider: 'scripted' },
});

/** Searcher that records its calls and lets the spec set their outcome. */
class ScriptedSearcher implements Searcher {
  readonly calls: string[] = [];
  answer: Searcher['answerCall'] = async ({ searchId }) => Promise.resolve(found(`${searchId}@acme.example`));
  answerCall: Searcher['answerCall'] = (call) => {
    this.calls.push(call.searchId);
    return this.answer(call);
  };
}

function setUp() {
  const searcher = new ScriptedSearcher();
  const delivered: string[][] = [];
  const store = new BatchStore(db, new IdempotentRequests(db), ledger, (_queue, ids) => {
    delivered.push(ids);
    return Promise.resolve();
  });
  const worker = new JobWorker(leases, () => searcher, logger);
  workers.push(worker);
  const read = async (ctx: Ctx, id: string) => JSON.parse((await store.readBatch(ctx, id)).json) as BatchJson;
  return { searcher, store, worker, delivered, read };
}

describe('a batch of inputs', () => {
  it('goes from accepted to completed, and costs its price once', async () => {
    const ctx = await fundedOrg();
    const { store, worker, read, delivered } = setUp();
    const accepted = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1), person(2)] });
    expect(accepted.done).toBe(false);
    expect(JSON.parse(accepted.json)).toMatchObject({ status: 'queued', size: 2, counts: { queued: 2 } });
    await worker.workQueue(delivered.flat());
    const batch = await read(ctx, accepted.batchId);
    expect(batch).toMatchObject({ status: 'completed', counts: { completed: 2 } });
    expect(batch.jobs.map((job) => [job.input_index, job.attempt, job.reused])).toEqual([
      [0, 1, false],
      [1, 1, false],
    ]);
    expect(Object.keys(batch.jobs[0]!)).toEqual([
      'job_id',
      'input_index',
      'service',
      'status',
      'attempt',
      'reused',
      'result',
      'created_at',
      'started_at',
      'completed_at',
    ]);
    expect(await ledger.readBalance(ctx)).toMatchObject({ available: 98_000, reserved: 0, spent: 2000 });
  });

  it('records which providers worked on each line, even if all failed', async () => {
    const ctx = await fundedOrg();
    const { store, worker, searcher, delivered, read } = setUp();
    const step = (provider: string, outcome: TrailStep['outcome'], code: TrailStep['code'] = null) => ({
      provider,
      outcome,
      code,
      started_at: '2026-11-22T10:00:00.000Z',
      duration_ms: 12,
      cost: { amount: 1, unit: 'spec_credit' },
    });
    const trails = [
      [step('first', 'miss'), step('second', 'hit')],
      [step('first', 'failed', 'capacity'), step('second', 'failed', 'timeout')],
    ];
    searcher.answer = () => {
      const trail = trails[searcher.calls.length - 1]!;
      if (searcher.calls.length === 1) return Promise.resolve({ ...found('a@acme.example'), trail });
      const failure = new ProviderFailure('timeout', 'Too slow.', { provider: 'second' });
      failure.trail = trail;
      return Promise.reject(failure);
    };
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1), person(2)] });
    const trailOf = async (jobId: string) => JSON.parse(await store.readTrail(ctx, jobId)) as unknown;
    for (const jobId of delivered.flat()) {
      expect(await trailOf(jobId)).toEqual({ job_id: jobId, steps: [] });
      await worker.workQueue([jobId]);
    }
    const { jobs } = await read(ctx, batchId);
    for (const [i, { job_id: jobId }] of jobs.entries())
      expect(await trailOf(jobId)).toEqual({ job_id: jobId, steps: trails[i] });
    await expect(store.readTrail(ctx, newId('svcjob'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it("passes a vendor's job id to the next worker of the line, and accepts none from a worker that lost it", async () => {
    const ctx = await fundedOrg();
    const { store, delivered } = setUp();
    await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const [jobId] = delivered.flat();
    const before = (await leases.claimJobs(jobId!))!;
    await leases.startJobs(before);
    expect(await leases.vendorJobOf(before).read()).toBeNull();
    await leases.vendorJobOf(before).save('icypeas:42');
    await leases.releaseJobs([{ job: before, hasCalled: true }]);
    const after = (await leases.claimJobs(jobId!))!;
    expect(await leases.vendorJobOf(after).read()).toBe('icypeas:42');
    await expect(leases.vendorJobOf(before).save('icypeas:43')).rejects.toThrow('lease');
    expect(await leases.vendorJobOf(after).read()).toBe('icypeas:42');
  });

  it('reports the results of its lines, once all have ended, in the order of its inputs', async () => {
    const ctx = await fundedOrg();
    const { store, delivered } = setUp();
    const { batchId } = await store.createBatch(ctx, {
      service: 'getEmail',
      inputs: [person(1), person(2), person(3)],
    });
    const [one, two, three] = await Promise.all(delivered.flat().map((id) => leases.claimJobs(id)));
    await leases.startJobs(two!);
    const error = { code: 'timeout', message: 'Too slow.' } as const;
    await leases.settleJobs(two!, { state: 'failed', error, provider: 'scripted', charge: 0 });
    await leases.startJobs(one!);
    const result = { found: false };
    await leases.settleJobs(one!, { state: 'completed', result, provider: 'scripted', charge: 0 });
    expect(await store.endsOf(ctx, batchId)).toBeNull();
    const ended = [
      { jobId: one!.id, state: 'completed', result },
      { jobId: two!.id, state: 'failed', error },
    ];
    expect(await store.endsSoFar(ctx, batchId)).toEqual([...ended, null]);
    await leases.releaseJobs([{ job: three!, hasCalled: false }]);
    await store.cancelBatch(ctx, batchId);
    expect(await store.endsOf(ctx, batchId)).toEqual([...ended, { jobId: three!.id, state: 'cancelled' }]);
    await expect(store.endsOf(ctx, 'svcbatch_none')).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([
    [{ first_name: 5 }, 'inputs[1].first_name', 'first_name'],
    [{ ...person(2), nickname: 'x' }, 'inputs[1]', 'nickname'],
  ])(
    'is refused as a whole if one input is invalid as %j, and the error names its position',
    async (faulty, path, field) => {
      const ctx = await fundedOrg();
      const { store } = setUp();
      const create = store.createBatch(ctx, { service: 'getEmail', inputs: [person(1), faulty] });
      await expect(create).rejects.toMatchObject({
        code: 'invalid_request',
        details: [{ path, message: expect.stringContaining(field) }],
      });
      expect(await db.query(ctx, 'SELECT 1 FROM jobs.jobs WHERE org_id = $1', [ctx.orgId])).toEqual([]);
    },
  );

  it('makes one job for two equal inputs, ends both lines and charges one', async () => {
    const ctx = await fundedOrg();
    const { store, worker, read, delivered, searcher } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1), person(1)] });
    await worker.workQueue(delivered.flat());
    const batch = await read(ctx, batchId);
    expect(batch).toMatchObject({ status: 'completed', counts: { completed: 2 } });
    expect(batch.jobs.map((job) => job.reused)).toEqual([false, true]);
    expect(batch.jobs[0]!.job_id).toBe(batch.jobs[1]!.job_id);
    expect(searcher.calls).toHaveLength(1);
    expect((await ledger.readBalance(ctx)).spent).toBe(1000);
  });

  it('reuses a finished answer for free, unless a fresh search is requested', async () => {
    const ctx = await fundedOrg();
    const { store, worker, delivered, searcher } = setUp();
    await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    await worker.workQueue(delivered.flat());
    const again = await store.createBatch(ctx, {
      service: 'getEmail',
      inputs: [{ ...person(1), first_name: ' FIRST1 ' }],
    });
    expect(again.done).toBe(true);
    expect(JSON.parse(again.json)).toMatchObject({ status: 'completed', jobs: [{ reused: true }] });
    const fresh = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)], fresh: true });
    expect(fresh.done).toBe(false);
    await worker.workQueue(delivered.at(-1)!);
    expect(searcher.calls).toHaveLength(2);
    expect((await ledger.readBalance(ctx)).spent).toBe(2000);
  });

  it.each([
    ['webResearch', { question: 'What does acme.example make?' }],
    ['getLinkedInUserComments', { linkedin_url: 'https://www.linkedin.com/in/comments' }],
    ['getLinkedInUserReactions', { linkedin_url: 'https://www.linkedin.com/in/reactions' }],
  ])('of %s never reuses a finished answer, but shares a search', async (service, input) => {
    const ctx = await fundedOrg();
    const { store, worker, delivered, searcher } = setUp();
    searcher.answer = () => Promise.resolve({ ...found(''), found: false, output: { found: false } });
    const list = { service, inputs: [input, input] };
    const { json } = await store.createBatch(ctx, list);
    expect((JSON.parse(json) as BatchJson).jobs.map(({ reused }) => reused)).toEqual([false, true]);
    await worker.workQueue(delivered.splice(0).flat());
    expect((await store.createBatch(ctx, list)).done).toBe(false);
    await worker.workQueue(delivered.flat());
    expect(searcher.calls).toHaveLength(2);
  });

  it.each([
    ['getEmail', { first_name: 'Ada' }],
    ['getPhoneNumber', { last_name: 'Lovelace', domain: 'acme.example' }],
  ])(
    'fails a contact with too few fields for %s at once, for free and without a search',
    async (service, thin) => {
      const ctx = await fundedOrg();
      const { store, delivered } = setUp();
      const accepted = await store.createBatch(ctx, { service, inputs: [thin] });
      expect(accepted.done).toBe(true);
      expect(JSON.parse(accepted.json)).toMatchObject({
        status: 'completed',
        jobs: [{ status: 'failed', attempt: 0, error: { code: 'provider_rejected', retryable: false } }],
      });
      expect(delivered.flat()).toEqual([]);
    },
  );

  it('is refused with 402 if the balance covers no line; otherwise only the uncovered lines fail', async () => {
    const poor = await fundedOrg(0.5);
    const { store, worker, read, delivered } = setUp();
    await expect(store.createBatch(poor, { service: 'getEmail', inputs: [person(1)] })).rejects.toMatchObject(
      { code: 'insufficient_credits' },
    );
    expect(await db.query(poor, 'SELECT 1 FROM jobs.batches WHERE org_id = $1', [poor.orgId])).toEqual([]);
    const ctx = await fundedOrg(2);
    const { batchId } = await store.createBatch(ctx, {
      service: 'getEmail',
      inputs: [person(1), person(2), person(3)],
    });
    await worker.workQueue(delivered.flat());
    const batch = await read(ctx, batchId);
    expect(batch.counts).toMatchObject({ completed: 2, failed: 1 });
    expect(batch.jobs.find((job) => job.status === 'failed')).toMatchObject({
      error: { code: 'usage_limit', retryable: true },
      attempt: 0,
    });
    expect(await ledger.readBalance(ctx)).toMatchObject({ available: 0, reserved: 0, spent: 2000 });
  });

  it.each([
    ['the key', 'key_a'],
    ['the organisation', null],
  ])(
    'fails the lines that a spend cap of %s does not cover, and is refused if it covers none',
    async (_name, holder) => {
      const ctx = { ...(await fundedOrg()), keyId: 'key_a' };
      const { store, worker, read, delivered } = setUp();
      const list = (from: number, by = ctx) =>
        store.createBatch(by, {
          service: 'getEmail',
          inputs: [person(from), person(from + 1), person(from + 2)],
        });
      await new SpendLimitStore(db).setLimit(ctx, holder, { day: 2000 });
      const { batchId } = await list(1);
      await worker.workQueue(delivered.flat());
      const batch = await read(ctx, batchId);
      expect(batch.counts).toMatchObject({ completed: 2, failed: 1 });
      expect(batch.jobs.find((job) => job.status === 'failed')).toMatchObject({
        error: {
          code: 'usage_limit',
          message: 'A spend cap does not leave room for this line.',
          retryable: true,
        },
        attempt: 0,
      });
      await expect(list(11)).rejects.toMatchObject({ code: 'usage_limit', status: 402 });
      expect(
        JSON.parse(await store.estimateBatch(ctx, { service: 'getEmail', inputs: [person(21)] })),
      ).toMatchObject({ affordable: false });
      expect(await ledger.readBalance(ctx)).toMatchObject({ available: 98_000, reserved: 0, spent: 2000 });
      // Known answers cost nothing, whatever the cap.
      expect((await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] })).done).toBe(true);
      // Another key is limited only by the cap of the organisation.
      const other = list(31, { ...ctx, keyId: 'key_b' });
      if (holder === null) await expect(other).rejects.toMatchObject({ code: 'usage_limit' });
      else expect((await other).done).toBe(false);
    },
  );

  it('that takes over a search of another batch is charged to its own API key', async () => {
    const ctx = { ...(await fundedOrg()), keyId: 'key_a' };
    const { store, worker, delivered } = setUp();
    const first = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    await store.createBatch({ ...ctx, keyId: 'key_b' }, { service: 'getEmail', inputs: [person(1)] });
    await store.cancelBatch(ctx, first.batchId);
    await worker.workQueue(delivered.flat());
    const limits = new SpendLimitStore(db);
    const used = async (key: string) => (await limits.readLimit(ctx, key)).day.used;
    expect([await used('key_a'), await used('key_b')]).toEqual([0, 1]);
  });

  it('joins a running search, and ends with it', async () => {
    const ctx = await fundedOrg();
    const { store, worker, delivered, searcher, read } = setUp();
    let finish: () => void = () => undefined;
    searcher.answer = ({ searchId }) =>
      new Promise((resolve) => (finish = () => resolve(found(`${searchId}@acme.example`))));
    const first = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const work = worker.workQueue(delivered.flat());
    await waitFor('the search to run', () => Promise.resolve(searcher.calls.length === 1));
    const second = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    expect(JSON.parse(second.json)).toMatchObject({
      status: 'running',
      jobs: [{ reused: true, status: 'running' }],
    });
    finish();
    await work;
    for (const { batchId } of [first, second]) expect((await read(ctx, batchId)).status).toBe('completed');
    expect((await ledger.readBalance(ctx)).spent).toBe(1000);
  });

  it('always completes if it joins a search at the moment it ends', async () => {
    const ctx = await fundedOrg(1000);
    const { store, worker, delivered, read } = setUp();
    for (let round = 0; round < 40; round += 1) {
      const { batchId } = await store.createBatch(ctx, {
        service: 'getEmail',
        inputs: [person(1000 + round)],
      });
      const ids = delivered.splice(0).flat();
      const joins = Array.from({ length: 4 }, () =>
        store.createBatch(ctx, { service: 'getEmail', inputs: [person(1000 + round)] }),
      );
      const [, ...joined] = await Promise.all([worker.workQueue(ids), ...joins]);
      await worker.workQueue(delivered.splice(0).flat());
      for (const id of [batchId, ...joined.map((each) => each.batchId)])
        expect((await read(ctx, id)).status).toBe('completed');
    }
    expect((await ledger.readBalance(ctx)).spent).toBe(40_000);
  });

  it('is created once per idempotency key, and the key is refused with another body', async () => {
    const ctx = await fundedOrg();
    const { store } = setUp();
    const request = { service: 'getEmail', inputs: [person(1)], idempotencyKey: 'once' };
    const all = await Promise.all(Array.from({ length: 8 }, () => store.createBatch(ctx, request)));
    expect(new Set(all.map((each) => each.batchId)).size).toBe(1);
    await expect(store.createBatch(ctx, { ...request, inputs: [person(2)] })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  });

  it('is invisible to another organisation', async () => {
    const ctx = await fundedOrg();
    const { store } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    await expect(store.readBatch(await fundedOrg(), batchId)).rejects.toMatchObject({
      code: 'not_found',
      message: 'Batch not found.',
    });
  });
});

describe('a cancelled batch', () => {
  it('ends its queued lines, and releases the hold of a claim', async () => {
    const ctx = await fundedOrg();
    const { store, delivered } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1), person(2)] });
    const claimed = (await leases.claimJobs(delivered.flat()[0]!))!;
    expect(JSON.parse(await store.cancelBatch(ctx, batchId))).toMatchObject({
      status: 'completed',
      counts: { cancelled: 2 },
    });
    expect(await leases.startJobs(claimed)).toBe(false);
    expect(await ledger.readBalance(ctx)).toMatchObject({ available: 100_000, reserved: 0 });
  });

  it('leaves a search that another batch waits for, which continues', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, worker, read } = setUp();
    const first = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const second = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1), person(2)] });
    expect(JSON.parse(await store.cancelBatch(ctx, first.batchId))).toMatchObject({
      status: 'completed',
      jobs: [{ status: 'cancelled' }],
    });
    await worker.workQueue(delivered.flat());
    expect(await read(ctx, second.batchId)).toMatchObject({ status: 'completed', counts: { completed: 2 } });
    expect(await read(ctx, first.batchId)).toMatchObject({ counts: { cancelled: 1 } });
    expect((await ledger.readBalance(ctx)).spent).toBe(2000);
  });

  it('is not changed after it has ended, and is unknown to another organisation', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, worker } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    await worker.workQueue(delivered.flat());
    expect(JSON.parse(await store.cancelBatch(ctx, batchId))).toMatchObject({ counts: { completed: 1 } });
    await expect(store.cancelBatch(await fundedOrg(), batchId)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a claim', () => {
  it('is given to one of many concurrent workers', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, searcher } = setUp();
    await store.createBatch(ctx, {
      service: 'getEmail',
      inputs: Array.from({ length: 20 }, (_, n) => person(n)),
    });
    const many = Array.from(
      { length: 5 },
      () => new JobWorker(new JobLeaseStore(db), () => searcher, logger),
    );
    workers.push(...many);
    await Promise.all(many.map((worker) => worker.workQueue(delivered.flat())));
    expect(searcher.calls).toHaveLength(20);
    expect((await ledger.readBalance(ctx)).spent).toBe(20_000);
  });

  it('that was superseded can neither start, renew nor settle', async () => {
    const ctx = await fundedOrg();
    const { store, delivered } = setUp();
    await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const stale = (await leases.claimJobs(delivered.flat()[0]!))!;
    await leases.startJobs(stale);
    await expire(stale);
    const owner = (await leases.claimJobs(stale.id))!;
    const end = {
      state: 'completed',
      result: found('a@b.example').output,
      provider: 'scripted',
      charge: 1000,
    } as const;
    expect(await leases.startJobs(stale)).toBe(false);
    expect(await leases.renewLeases([stale])).toEqual({ renewed: new Set(), lost: new Set([stale.token]) });
    expect(await leases.settleJobs(stale, end)).toBe(false);
    expect(await leases.startJobs(owner)).toBe(true);
    expect(await leases.settleJobs(owner, end)).toBe(true);
    expect(await leases.settleJobs(owner, end)).toBe(false);
    expect((await ledger.readBalance(ctx)).spent).toBe(1000);
    expect(await db.queryOne(ctx, 'SELECT attempt, claims FROM jobs.jobs WHERE id = $1', [stale.id])).toEqual(
      { attempt: 2, claims: 2 },
    );
  });

  it('cannot start after it has expired, even if nobody else has claimed the job', async () => {
    const ctx = await fundedOrg();
    const { store, delivered } = setUp();
    await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const job = (await leases.claimJobs(delivered.flat()[0]!))!;
    await expire(job);
    expect(await leases.startJobs(job)).toBe(false);
  });

  it('that was superseded cannot hand back the line of its successor', async () => {
    const ctx = await fundedOrg();
    const { store, delivered } = setUp();
    await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const stale = (await leases.claimJobs(delivered.flat()[0]!))!;
    await expire(stale);
    const owner = (await leases.claimJobs(stale.id))!;
    await leases.releaseJobs([{ job: stale, hasCalled: true }]);
    expect(await leases.startJobs(owner)).toBe(true);
  });

  it("is refused while another worker's lease is valid", async () => {
    const ctx = await fundedOrg();
    const { store, delivered } = setUp();
    await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const [id] = delivered.flat();
    const owner = (await leases.claimJobs(id!))!;
    expect(await leases.claimJobs(id!)).toBeNull();
    expect(await leases.startJobs(owner)).toBe(true);
  });

  it('that was superseded is also refused in one statement with its successor', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, read } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const stale = (await leases.claimJobs(delivered.flat()[0]!))!;
    await leases.startJobs(stale);
    await expire(stale);
    const owner = (await leases.claimJobs(stale.id))!;
    expect(await Promise.all([leases.startJobs(stale), leases.startJobs(owner)])).toEqual([false, true]);
    const failure = { code: 'provider_error', message: 'Late.' } as const;
    const ends = [
      leases.settleJobs(stale, { state: 'failed', error: failure, provider: null, charge: 0 }),
      leases.settleJobs(owner, {
        state: 'completed',
        result: found('a@b.example').output,
        provider: 'scripted',
        charge: 1000,
      }),
    ];
    expect(await Promise.all(ends)).toEqual([false, true]);
    expect((await read(ctx, batchId)).jobs[0]).toMatchObject({ status: 'completed', attempt: 2 });
    expect(await ledger.readBalance(ctx)).toMatchObject({ available: 99_000, reserved: 0, spent: 1000 });
  });

  it('that its process lost and claimed again is renewed, whatever happens to the first', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, searcher, worker } = setUp();
    const answers: Array<() => void> = [];
    searcher.answer = ({ searchId }) =>
      new Promise((resolve) => answers.push(() => resolve(found(`${searchId}@acme.example`))));
    await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const [id] = delivered.flat();
    const first = worker.workQueue([id!]);
    await waitFor('the first call', () => Promise.resolve(answers.length === 1));
    await expire({ id: id! });
    const second = worker.workQueue([id!]);
    await waitFor('the second call', () => Promise.resolve(answers.length === 2));
    answers[0]!();
    await first;
    expect(worker.linesInFlight).toBe(1);
    answers[1]!();
    await second;
    expect((await ledger.readBalance(ctx)).spent).toBe(1000);
  });

  it('ends a line as worker_lost after two started attempts, and releases its hold', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, read } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const job = (await leases.claimJobs(delivered.flat()[0]!))!;
      await leases.startJobs(job);
      await expire(job);
    }
    expect(await leases.claimJobs(delivered.flat()[0]!)).toBeNull();
    expect(await read(ctx, batchId)).toMatchObject({
      status: 'completed',
      jobs: [{ status: 'failed', attempt: 2, error: { code: 'worker_lost' } }],
    });
    expect(await ledger.readBalance(ctx)).toMatchObject({ available: 100_000, reserved: 0, spent: 0 });
  });

  it('ends a line as worker_lost after five claims, even if none started a call', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, read } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    for (let claim = 0; claim < 5; claim += 1) await expire((await leases.claimJobs(delivered.flat()[0]!))!);
    expect(await leases.claimJobs(delivered.flat()[0]!)).toBeNull();
    expect((await read(ctx, batchId)).jobs[0]).toMatchObject({
      status: 'failed',
      attempt: 0,
      error: { code: 'worker_lost' },
    });
    expect(await ledger.readBalance(ctx)).toMatchObject({ available: 100_000, reserved: 0 });
  });

  it('that never started its call does not count as an attempt', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, read, worker } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const lost = (await leases.claimJobs(delivered.flat()[0]!))!;
    expect((await read(ctx, batchId)).jobs[0]).toMatchObject({
      status: 'queued',
      attempt: 0,
      started_at: null,
    });
    await expire(lost);
    await worker.workQueue(delivered.flat());
    expect((await read(ctx, batchId)).jobs[0]).toMatchObject({ status: 'completed', attempt: 1 });
  });

  it('handed back ten times does not count as lost, and counts only attempts with a call', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, read, worker } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    for (let stop = 0; stop < 10; stop += 1) {
      const job = (await leases.claimJobs(delivered.flat()[0]!))!;
      // Handed back before the start, between the start and the call, and after three of ten calls.
      if (stop > 0) expect(await leases.startJobs(job)).toBe(true);
      await leases.releaseJobs([{ job, hasCalled: stop > 6 }]);
    }
    expect((await read(ctx, batchId)).jobs[0]).toMatchObject({ status: 'running', attempt: 3 });
    await worker.workQueue(delivered.flat());
    expect((await read(ctx, batchId)).jobs[0]).toMatchObject({ status: 'completed', attempt: 4 });
    expect((await ledger.readBalance(ctx)).spent).toBe(1000);
  });

  it('handed back hides no loss: two workers that die during the call still end the line', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, read } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const begun = async () => {
      const job = (await leases.claimJobs(delivered.flat()[0]!))!;
      expect(await leases.startJobs(job)).toBe(true);
      return job;
    };
    await leases.releaseJobs([{ job: await begun(), hasCalled: true }]);
    await expire(await begun());
    await leases.releaseJobs([{ job: await begun(), hasCalled: false }]);
    await expire(await begun());
    expect(await leases.claimJobs(delivered.flat()[0]!)).toBeNull();
    expect((await read(ctx, batchId)).jobs[0]).toMatchObject({ attempt: 3, error: { code: 'worker_lost' } });
  });

  it('handed back together with its own earlier lease counts by the valid lease', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, read, worker } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const stale = (await leases.claimJobs(delivered.flat()[0]!))!;
    await expire(stale);
    const job = (await leases.claimJobs(delivered.flat()[0]!))!;
    expect(await leases.startJobs(job)).toBe(true);
    await leases.releaseJobs([
      { job: stale, hasCalled: false },
      { job, hasCalled: true },
    ]);
    await worker.workQueue(delivered.flat());
    expect((await read(ctx, batchId)).jobs[0]).toMatchObject({ status: 'completed', attempt: 2 });
  });

  it('whose charge exceeds the hold is not settled, and does not affect others in its group', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, read } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1), person(2)] });
    const jobs = await Promise.all(delivered.flat().map((id) => leases.claimJobs(id)));
    await Promise.all(jobs.map((job) => leases.startJobs(job!)));
    const end = (charge: number) =>
      ({ state: 'completed', result: found('a@b.example').output, provider: 'scripted', charge }) as const;
    expect(
      await Promise.all([leases.settleJobs(jobs[0]!, end(1001)), leases.settleJobs(jobs[1]!, end(1000))]),
    ).toEqual([false, true]);
    expect((await read(ctx, batchId)).counts).toMatchObject({ running: 1, completed: 1 });
    expect(await ledger.readBalance(ctx)).toMatchObject({ available: 98_000, reserved: 1000, spent: 1000 });
  });

  it('whose result cannot be stored is refused alone, and does not affect others in its group', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, read } = setUp();
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1), person(2)] });
    const jobs = await Promise.all(delivered.flat().map((id) => leases.claimJobs(id)));
    await Promise.all(jobs.map((job) => leases.startJobs(job!)));
    // PostgreSQL text cannot contain NUL: the statement that carries it fails as a whole.
    const end = (email: string) =>
      ({ state: 'completed', result: found(email).output, provider: 'scripted', charge: 1000 }) as const;
    const ends = [leases.settleJobs(jobs[0]!, end('\0')), leases.settleJobs(jobs[1]!, end('a@b.example'))];
    expect((await Promise.allSettled(ends)).map((each) => each.status)).toEqual(['rejected', 'fulfilled']);
    expect((await read(ctx, batchId)).counts).toMatchObject({ running: 1, completed: 1 });
  });
});

describe('a line whose delivery was lost', () => {
  const phone = async (store: BatchStore, ctx: Ctx, delivered: string[][]) => {
    await store.createBatch(ctx, { service: 'getPhoneNumber', inputs: [person(1)] });
    return delivered.splice(0).flat()[0]!;
  };
  const age = (id: string, seconds: number) =>
    db.query(
      systemCtx('spec'),
      `UPDATE jobs.jobs SET created_at = created_at - make_interval(secs => $2),
         delivered_at = delivered_at - make_interval(secs => $2) WHERE id = $1`,
      [id, seconds],
    );
  const reconciling = (worker: JobWorker, nextLine: () => string | null) => {
    const again: string[] = [];
    const reconciler = new DeliveryReconciler(db, {
      services: ['getPhoneNumber'],
      deliver: (_queue, ids) => Promise.resolve(void again.push(...ids)),
      work: (ids) => worker.workQueue(ids),
      nextLine: () => Promise.resolve(nextLine()),
      logger,
    });
    return async () => {
      await reconciler.reconcileDeliveries();
      return again.splice(0);
    };
  };

  it('is delivered again after it has waited long enough', async () => {
    const { store, delivered, worker } = setUp();
    const id = await phone(store, await fundedOrg(), delivered);
    const redelivered = reconciling(worker, () => null);
    expect(await redelivered()).toEqual([]);
    await age(id, 11);
    expect(await redelivered()).toEqual([id]);
    expect(await redelivered()).toEqual([]);
    await worker.workQueue([id]);
  });

  it('is delivered again while others wait in the queue, if the next of them is much newer', async () => {
    const { store, delivered, worker } = setUp();
    const [lost, waiting, next] = [
      await phone(store, await fundedOrg(), delivered),
      await phone(store, await fundedOrg(), delivered),
      await phone(store, await fundedOrg(), delivered),
    ];
    await age(lost, 60);
    await age(waiting, 30);
    await age(next, 35);
    const redelivered = reconciling(worker, () => next);
    expect(await redelivered()).toEqual([lost]);
    await age(waiting, 30);
    expect(await redelivered()).toEqual([waiting]);
    await worker.workQueue([lost, waiting, next]);
  });
});

describe('retention of batches', () => {
  const sweep = () => new RetentionTask(lineRetention(db, { endedDays: 180 }), logger).removeDue();
  const grow = async (ctx: Ctx, days: number, batchId: string) => {
    await db.query(
      ctx,
      'UPDATE jobs.jobs SET completed_at = completed_at - make_interval(days => $2) WHERE batch_id = $1',
      [batchId, days],
    );
    await db.query(
      ctx,
      'UPDATE jobs.batches SET completed_at = completed_at - make_interval(days => $2) WHERE id = $1',
      [batchId, days],
    );
  };

  it('clears a line 30 days after its end, and leaves a running one and the ledger as they are', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, worker, searcher, read } = setUp();
    const ended = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    await worker.workQueue(delivered.splice(0).flat());
    const recent = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(2)] });
    await worker.workQueue(delivered.splice(0).flat());
    let finish: () => void = () => undefined;
    searcher.answer = () => new Promise((resolve) => (finish = () => resolve(found('late@acme.example'))));
    const running = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(3)] });
    const work = worker.workQueue(delivered.splice(0).flat());
    await waitFor('the search to run', () => Promise.resolve(searcher.calls.length === 3));
    await db.query(
      ctx,
      `UPDATE jobs.jobs SET created_at = created_at - interval '31 days', completed_at = completed_at - interval '31 days'
       WHERE org_id = $1 AND batch_id <> $2`,
      [ctx.orgId, recent.batchId],
    );
    // This read caches the text of the batch. The cached text must not be returned once the line has been cleared.
    expect((await read(ctx, ended.batchId)).jobs[0]).toMatchObject({ result: { found: true } });
    await sweep();
    const inputs = await db.query(
      ctx,
      'SELECT batch_id, input IS NULL AS gone FROM jobs.jobs WHERE org_id = $1 ORDER BY id',
      [ctx.orgId],
    );
    expect(inputs).toEqual([
      { batch_id: ended.batchId, gone: true },
      { batch_id: recent.batchId, gone: false },
      { batch_id: running.batchId, gone: false },
    ]);
    expect((await read(ctx, ended.batchId)).jobs[0]).toMatchObject({ status: 'completed', result: null });
    finish();
    await work;
    expect(await read(ctx, running.batchId)).toMatchObject({ status: 'completed' });
    expect((await ledger.readBalance(ctx)).spent).toBe(3000);
  });

  it('deletes a batch half a year after its end, and keeps younger ones, open ones and the ledger', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, worker, read } = setUp();
    const old = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1), person(2)] });
    const young = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(3)] });
    await worker.workQueue(delivered.splice(0).flat());
    const open = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(4)] });
    await grow(ctx, 181, old.batchId);
    await grow(ctx, 179, young.batchId);
    await grow(ctx, 1000, open.batchId);
    await sweep();
    await expect(store.readBatch(ctx, old.batchId)).rejects.toMatchObject({ code: 'not_found' });
    const left = await db.query(
      ctx,
      `SELECT (SELECT count(*)::int FROM jobs.jobs WHERE org_id = $1) AS jobs,
         (SELECT count(*)::int FROM jobs.lines WHERE org_id = $1) AS lines`,
      [ctx.orgId],
    );
    expect(left).toEqual([{ jobs: 2, lines: 2 }]);
    expect(await read(ctx, young.batchId)).toMatchObject({ status: 'completed', size: 1 });
    expect((await ledger.readBalance(ctx)).spent).toBe(3000);
    await worker.workQueue(delivered.splice(0).flat());
    expect(await read(ctx, open.batchId)).toMatchObject({ status: 'completed' });
  });

  it('keeps the answer that a younger batch shares until that batch is deleted, too', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, worker, read } = setUp();
    const first = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1), person(2)] });
    await worker.workQueue(delivered.splice(0).flat());
    const second = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(2)] });
    const before = await read(ctx, second.batchId);
    expect(before.jobs[0]).toMatchObject({ reused: true });
    await db.query(
      ctx,
      "UPDATE jobs.batches SET completed_at = completed_at - interval '181 days' WHERE id = $1",
      [first.batchId],
    );
    await sweep();
    await expect(store.readBatch(ctx, first.batchId)).rejects.toMatchObject({ code: 'not_found' });
    expect(await read(ctx, second.batchId)).toEqual(before);
    await grow(ctx, 181, second.batchId);
    await sweep();
    expect(await db.query(ctx, 'SELECT 1 FROM jobs.jobs WHERE org_id = $1', [ctx.orgId])).toEqual([]);
    expect(await db.query(ctx, 'SELECT 1 FROM jobs.batches WHERE org_id = $1', [ctx.orgId])).toEqual([]);
  });
});

describe('a waiting read of a batch', () => {
  it('is answered when the batch ends, also if another process ended it', async () => {
    const ctx = await fundedOrg();
    const { store, delivered, worker } = setUp();
    const waiters = new BatchWaiters((at, ids) => store.endedAmong(at, ids));
    const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [person(1)] });
    const held = Promise.all(Array.from({ length: 100 }, () => waiters.waitForEnd(batchId, 30_000)));
    expect(waiters.size).toBe(100);
    await worker.workQueue(delivered.flat());
    await held;
    expect(waiters.size).toBe(0);
  });

  it('is answered at once when the process stops', async () => {
    const waiters = new BatchWaiters(() => Promise.resolve([]));
    const held = waiters.waitForEnd('svcbatch_x', 60_000);
    waiters.close();
    await held;
    await waiters.waitForEnd('svcbatch_y', 60_000);
  });
});
