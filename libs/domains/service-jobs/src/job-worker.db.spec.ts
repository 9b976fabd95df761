import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { IdempotentRequests } from '@quarry/postgres';
import { CreditLedger } from '@quarry/credit-ledger';
import { createLogger, systemCtx } from '@quarry/app';
import { ProviderFailure } from '@quarry/engine';
import { createTestDatabase, testCtx, type TestDatabase } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { BatchStore } from './batch.store.js';
import { JobLeaseStore } from './job-lease.store.js';
import { JobWorker, type Searcher } from './job-worker.js';

const ctx = testCtx('org_line_worker');
let test: TestDatabase;
let ledger: CreditLedger;
let worker: JobWorker;
let people = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  ledger = new CreditLedger(test.database);
  await ledger.grantCredits(ctx, { id: 'grant_1', amount: 100_000, reason: 'top-up' });
});
afterEach(() => worker.stop(0));
afterAll(async () => {
  expect(await ledger.auditLedger(systemCtx('audit'))).toEqual([]);
  await test.drop();
});

/** @returns the line of one lookup with a timeout of 50 milliseconds, and its cost in thousandths of a credit */
async function lineOf(run: Searcher['answerCall'], more: object = {}) {
  let ids: string[] = [];
  const store = new BatchStore(
    test.database,
    new IdempotentRequests(test.database),
    ledger,
    (_queue, jobIds) => {
      ids = jobIds;
      return Promise.resolve();
    },
  );
  const input = { first_name: `P${++people}`, last_name: 'Doe', domain: 'acme.example', ...more };
  const { spent: before } = await ledger.readBalance(ctx);
  const { batchId } = await store.createBatch(ctx, { service: 'getEmail', inputs: [input] });
  worker = new JobWorker(
    new JobLeaseStore(test.database),
    () => ({ answerCall: run }),
    createLogger('spec', 'silent'),
    { deadlineMaxMs: 50 },
  );
  await worker.workQueue(ids);
  const { jobs } = JSON.parse((await store.readBatch(ctx, batchId)).json) as {
    jobs: Array<{ status: string; result?: object; error?: { code: string; retryable: boolean } }>;
  };
  return { ...jobs[0]!, cost: (await ledger.readBalance(ctx)).spent - before };
}

/** Returns a call that fails at its deadline, like one whose signal is aborted. */
const untilDeadline = (errorOf: (signal: AbortSignal) => unknown): Searcher['answerCall'] => {
  return ({ signal }) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(errorOf(signal) as Error), { once: true }),
    );
};

describe("an answer bought with the organisation's own vendor key", () => {
  const answered = (found: boolean, paidBy?: 'organisation'): Searcher['answerCall'] => {
    const data = found
      ? { email: 'ada@acme.example', status: 'verified', confidence: 'high' }
      : { email: null, status: null, confidence: null };
    const output = { found, ...data, provider: 'p' };
    return () =>
      Promise.resolve({ found, deep: false, provider: 'p', output, ...(paidBy ? { paidBy } : {}) });
  };

  it.each([
    ['a tenth of a credit in place of the price', true, 'organisation', 100],
    ['nothing where a miss costs nothing', false, 'organisation', 0],
    ['the price when the key was the operator’s', true, undefined, 1000],
  ] as const)('costs %s', async (_what, found, paidBy, cost) => {
    expect(await lineOf(answered(found, paidBy))).toMatchObject({ status: 'completed', cost });
    // The rest of the hold is released.
    expect((await ledger.readBalance(ctx)).reserved).toBe(0);
  });
});

describe('a search that reaches its deadline', () => {
  it('fails as "timeout" if the provider had not answered yet', async () => {
    expect(await lineOf(untilDeadline((signal) => signal.reason))).toMatchObject({
      status: 'failed',
      error: { code: 'timeout', retryable: true },
      cost: 0,
    });
  });

  it("fails with the provider's own reason if it gives one, such as capacity", async () => {
    const busy = new ProviderFailure('capacity', 'The provider is at its capacity.', { provider: 'p' });
    expect(await lineOf(untilDeadline(() => busy))).toMatchObject({
      error: { code: 'capacity', retryable: true },
      cost: 0,
    });
  });

  it('costs the miss price if the Deep agent had finished', async () => {
    const late = new ProviderFailure('provider_error', 'The provider failed.', {
      provider: 'p',
      deepFinished: true,
    });
    expect(
      await lineOf(
        untilDeadline(() => late),
        { deep: true },
      ),
    ).toMatchObject({ status: 'failed', cost: 500 });
  });
});

describe('an answer', () => {
  it('that breaks the schema fails as invalid_output, is not retryable and costs nothing', async () => {
    const answer = { found: true, deep: false, provider: 'p', output: { email: 7 } };
    expect(await lineOf(() => Promise.resolve(answer))).toMatchObject({
      error: { code: 'invalid_output', retryable: false },
      cost: 0,
    });
  });
});

describe('a worker that stops', () => {
  it('hands back a job whose claim is answered after the worker stopped waiting', async () => {
    let id = '';
    const store = new BatchStore(
      test.database,
      new IdempotentRequests(test.database),
      ledger,
      (_queue, [jobId]) => {
        id = jobId!;
        return Promise.resolve();
      },
    );
    const input = { first_name: `P${++people}`, last_name: 'Doe', domain: 'acme.example' };
    await store.createBatch(ctx, { service: 'getEmail', inputs: [input] });
    const run = (): never => {
      throw new Error('Nobody may be asked.');
    };
    worker = new JobWorker(
      new JobLeaseStore(test.database),
      () => ({ answerCall: run }),
      createLogger('spec', 'silent'),
    );
    let stopping = Promise.resolve();
    let working = Promise.resolve();
    await test.database.transaction(ctx, async (tx) => {
      await test.database.query(tx, 'SELECT 1 FROM jobs.jobs WHERE id = $1 FOR UPDATE', [id]);
      working = worker.workQueue([id]);
      const blocked =
        'SELECT 1 FROM pg_stat_activity WHERE wait_event_type = $1 AND datname = current_database()';
      await waitFor(
        'the claim to wait',
        async () => (await test.database.query(ctx, blocked, ['Lock'])).length > 0,
      );
      stopping = worker.stop(0);
    });
    await Promise.all([working, stopping]);
    expect(
      await test.database.queryOne(
        ctx,
        'SELECT state, claims, attempt, lease_until FROM jobs.jobs WHERE id = $1',
        [id],
      ),
    ).toEqual({ state: 'queued', claims: 0, attempt: 0, lease_until: null });
  });
});
