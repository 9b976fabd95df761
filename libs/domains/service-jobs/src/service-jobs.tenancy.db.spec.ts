import { beforeAll, describe, expect, it } from '@jest/globals';
import { CreditLedger } from '@quarry/credit-ledger';
import type { Ctx } from '@quarry/app';
import { IdempotentRequests, tenantOf } from '@quarry/postgres';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { BatchStore } from './batch.store.js';
import { JobLeaseStore } from './job-lease.store.js';

const ADA = { first_name: 'Ada', last_name: 'Lovelace', domain: 'acme.example' };
const BOB = { first_name: 'Bob', last_name: 'Noyce', domain: 'acme.example' };
const FIND = {
  state: 'completed',
  result: { found: true, email: 'secret@acme.example' },
  provider: 'scripted',
  charge: 1000,
} as const;

interface BatchJson {
  status: string;
  jobs: Array<{ job_id: string; status: string; reused: boolean }>;
}

/** Pairs of tenants that must be isolated from each other, in both directions. */
const PAIRS: Array<{ of: string; pair: (n: number) => [Ctx, Ctx] }> = [
  { of: 'organisation', pair: (n) => [testCtx(`org_a${n}`), testCtx(`org_b${n}`)] },
  { of: 'mode', pair: (n) => [testCtx(`org_${n}`), testCtx(`org_${n}`, { mode: 'test' })] },
];

describe.each(PAIRS)('batches of another $of', ({ pair }) => {
  const test = useTestDatabase();
  let ledger: CreditLedger;
  let leases: JobLeaseStore;
  let store: BatchStore;
  let pairs = 0;
  const waiting: string[] = [];

  beforeAll(() => {
    ledger = new CreditLedger(test.database);
    leases = new JobLeaseStore(test.database);
    store = new BatchStore(test.database, new IdempotentRequests(test.database), ledger, (_queue, ids) => {
      waiting.push(...ids);
      return Promise.resolve();
    });
  });

  /** Creates two tenants with credits, in each order. */
  async function otherTenants(): Promise<Array<[Ctx, Ctx]>> {
    const both = [pair(++pairs), [...pair(++pairs)].reverse() as [Ctx, Ctx]];
    for (const ctx of both.flat())
      await ledger.grantCredits(ctx, { id: `${ctx.orgId}-${ctx.mode}`, amount: 10_000, reason: 'top-up' });
    return both;
  }

  const accept = (ctx: Ctx, input: Record<string, unknown> = ADA, key: string | null = null) =>
    store.createBatch(ctx, { service: 'getEmail', inputs: [input], idempotencyKey: key });

  async function search(): Promise<void> {
    for (const id of waiting.splice(0)) {
      const job = (await leases.claimJobs(id))!;
      await leases.startJobs(job);
      await leases.settleJobs(job, FIND);
    }
  }

  const jobsOf = async (ctx: Ctx, batchId: string | null) => {
    const page = await store.listJobs(ctx, { limit: 10, offset: 0, status: null, service: null, batchId });
    return (JSON.parse(page) as { items: Array<{ job_id: string }> }).items.map(({ job_id: id }) => id);
  };

  it('share no running search', async () => {
    for (const [one, other] of await otherTenants()) {
      await accept(one);
      const { json } = await accept(other);
      expect((JSON.parse(json) as BatchJson).jobs).toMatchObject([{ status: 'queued', reused: false }]);
      expect(waiting.splice(0)).toHaveLength(2);
    }
  });

  it('give no finished answer, nor its price', async () => {
    for (const [one, other] of await otherTenants()) {
      await accept(one);
      await search();
      const estimate = await store.estimateBatch(other, { service: 'getEmail', inputs: [ADA] });
      expect(JSON.parse(estimate)).toMatchObject({ new_lines: 1, reused_lines: 0 });
      const { json } = await accept(other);
      expect((JSON.parse(json) as BatchJson).jobs).toMatchObject([{ status: 'queued', reused: false }]);
      await search();
      expect((await ledger.readBalance(other)).spent).toBe(1000);
    }
  });

  it('are not found', async () => {
    for (const [one, other] of await otherTenants()) {
      const { batchId } = await accept(one);
      await expect(store.readBatch(other, batchId)).rejects.toMatchObject({ code: 'not_found' });
      await expect(store.endsOf(other, batchId)).rejects.toMatchObject({ code: 'not_found' });
      expect(await store.endsSoFar(other, batchId)).toEqual([]);
      await expect(store.cancelBatch(other, batchId)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('tell nobody which providers worked on their lines', async () => {
    for (const [one, other] of await otherTenants()) {
      await accept(one);
      const [jobId] = await jobsOf(one, null);
      await expect(store.readTrail(other, jobId!)).rejects.toMatchObject({ code: 'not_found' });
      expect(JSON.parse(await store.readTrail(one, jobId!))).toMatchObject({ steps: [] });
    }
  });

  it('continue even if the other tenant cancels them', async () => {
    for (const [one, other] of await otherTenants()) {
      const { batchId } = await accept(one);
      await store.cancelBatch(other, batchId).catch(() => undefined);
      expect(JSON.parse((await store.readBatch(one, batchId)).json)).toMatchObject({ status: 'queued' });
    }
  });

  it('are not cancelled by the SQL function either, without a look-up before', async () => {
    for (const [one, other] of await otherTenants()) {
      const { batchId } = await accept(one);
      const cancel = (ctx: Ctx) =>
        test.database.query(ctx, 'SELECT jobs.cancel_batch($1, $2, $3)', [...tenantOf(ctx), batchId]);
      await cancel(other);
      expect(JSON.parse((await store.readBatch(one, batchId)).json)).toMatchObject({ status: 'queued' });
      await cancel(one);
      expect(JSON.parse((await store.readBatch(one, batchId)).json)).toMatchObject({
        counts: { cancelled: 1 },
      });
    }
  });

  it('have jobs that are in no list of jobs', async () => {
    for (const [one, other] of await otherTenants()) {
      await accept(one);
      expect(await jobsOf(other, null)).toEqual([]);
      expect(await jobsOf(one, null)).toHaveLength(1);
    }
  });

  it('have jobs that are not found by their batch id', async () => {
    for (const [one, other] of await otherTenants()) {
      const { batchId } = await accept(one);
      expect(await jobsOf(other, batchId)).toEqual([]);
      expect(await jobsOf(one, batchId)).toHaveLength(1);
    }
  });

  it('have an Idempotency-Key of their own', async () => {
    for (const [one, other] of await otherTenants()) {
      const mine = await accept(one, ADA, 'once');
      const theirs = await accept(other, BOB, 'once');
      expect(theirs.batchId).not.toBe(mine.batchId);
    }
  });
});
