import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CreditLedger } from '@quarry/credit-ledger';
import type { Ctx } from '@quarry/app';
import { IdempotentRequests, type Database } from '@quarry/postgres';
import {
  brokenInvariants,
  countWaiting,
  createTestDatabase,
  testCtx,
  type TestDatabase,
} from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { findSlowService } from '@quarry/service-catalog';
import { planLines } from './batch-plan.js';
import { BatchStore } from './batch.store.js';
import { type ClaimedJob, type JobEnd, JobLeaseStore } from './job-lease.store.js';
import { LineMatcher, type BatchRequest } from './line-matcher.js';

const ADA = { first_name: 'Ada', last_name: 'Lovelace', domain: 'acme.example' };
const PRICE = 1000;
const FIND: JobEnd = { state: 'completed', result: { found: true }, provider: 'scripted', charge: PRICE };
const MISS: JobEnd = { state: 'completed', result: { found: false }, provider: 'scripted', charge: 0 };
const FAILURE: JobEnd = {
  state: 'failed',
  error: { code: 'provider_error', message: 'It failed.' },
  provider: 'scripted',
  charge: 0,
};

let test: TestDatabase;
let db: Database;
let ledger: CreditLedger;
let leases: JobLeaseStore;
let orgs = 0;

beforeAll(async () => {
  test = await createTestDatabase();
  db = test.database;
  ledger = new CreditLedger(db);
  leases = new JobLeaseStore(db);
});
afterAll(async () => {
  expect(await brokenInvariants(db)).toEqual({});
  await test.drop();
});

interface BatchJson {
  status: string;
  counts: Record<string, number>;
  jobs: Array<{ job_id: string; status: string; reused: boolean; error?: { code: string } }>;
}

/** An organisation whose batches all name the same person, and the jobs that wait for a worker. */
class Stage {
  readonly lists: string[] = [];
  private readonly waiting: string[] = [];
  private readonly store = new BatchStore(db, new IdempotentRequests(db), ledger, (_queue, ids) => {
    this.waiting.push(...ids);
    return Promise.resolve();
  });

  private constructor(readonly ctx: Ctx) {}

  static async open(): Promise<Stage> {
    const ctx = testCtx(`org_${++orgs}`);
    await ledger.grantCredits(ctx, { id: `${ctx.orgId}-g`, amount: 10 * PRICE, reason: 'top-up' });
    return new Stage(ctx);
  }

  async accept(size: number, fresh = false): Promise<void> {
    const inputs = Array.from({ length: size }, () => ADA);
    const { batchId } = await this.store.createBatch(this.ctx, { service: 'getEmail', inputs, fresh });
    this.lists.push(batchId);
  }

  async cancel(list: number): Promise<void> {
    await this.store.cancelBatch(this.ctx, this.lists[list]!);
  }

  /** Claims and starts each waiting job as a worker does, up to the provider's response. */
  async search(): Promise<ClaimedJob[]> {
    const claimed = await Promise.all(this.waiting.splice(0).map((id) => leases.claimJobs(id)));
    const jobs = claimed.filter((job) => job !== null);
    for (const started of await Promise.all(jobs.map((job) => leases.startJobs(job))))
      expect(started).toBe(true);
    return jobs;
  }

  async work(end: JobEnd): Promise<void> {
    const jobs = await this.search();
    const settled = await Promise.all(jobs.map((job) => leases.settleJobs(job, end)));
    expect(settled).toEqual(jobs.map(() => true));
  }

  /** Simulates a worker that starts and disappears; its jobs are delivered again. */
  async loseWorker(): Promise<void> {
    for (const { id } of await this.search()) {
      await db.query(
        this.ctx,
        `UPDATE jobs.jobs SET lease_until = clock_timestamp() - interval '1 s' WHERE id = $1`,
        [id],
      );
      this.waiting.push(id);
    }
  }

  async age(interval: string): Promise<void> {
    await db.query(
      this.ctx,
      'UPDATE jobs.jobs SET completed_at = completed_at - $2::interval WHERE org_id = $1',
      [this.ctx.orgId, interval],
    );
  }

  async takeAwayCredits(): Promise<void> {
    const id = `${this.ctx.orgId}-a`;
    await ledger.grantCredits(this.ctx, {
      id,
      amount: -10 * PRICE,
      kind: 'adjustment',
      reason: 'correction',
    });
  }

  read(): Promise<BatchJson[]> {
    return Promise.all(
      this.lists.map(async (id) => JSON.parse((await this.store.readBatch(this.ctx, id)).json) as BatchJson),
    );
  }

  /** @returns the number of charges on the lines of a batch */
  async chargesOf(list: string): Promise<number> {
    const row = await db.queryOne<{ n: number }>(
      this.ctx,
      "SELECT count(*)::int AS n FROM credits.transfers WHERE batch_id = $1 AND kind = 'post'",
      [list],
    );
    return row!.n;
  }

  /** @returns the number of provider calls started, the credits, and the number of charges on reused lines */
  async costs(): Promise<{ calls: number; charged: number; reserved: number; onReusedLines: number }> {
    const row = await db.queryOne<{ calls: number; reused: number }>(
      this.ctx,
      `SELECT (SELECT sum(attempt)::int FROM jobs.jobs WHERE org_id = $1) AS calls,
         (SELECT count(*)::int FROM credits.transfers t JOIN jobs.lines l USING (batch_id, input_index)
          WHERE l.org_id = $1 AND t.kind = 'post' AND l.reused) AS reused`,
      [this.ctx.orgId],
    );
    const { spent, reserved } = await ledger.readBalance(this.ctx);
    return { calls: row!.calls, charged: spent / PRICE, reserved, onReusedLines: row!.reused };
  }
}

/** Returns a line as text: its status, its error code, and whether it was reused. */
const lineOf = ({ status, reused, error }: BatchJson['jobs'][number]): string =>
  [status, error?.code, reused ? 'reused' : null].filter(Boolean).join(' ');

/** @param lines of all batches, in the order in which they were accepted */
const story = (
  event: string,
  lines: string[],
  costs: { calls: number; charged: number },
  play: (stage: Stage, accept: (fresh?: boolean) => Promise<void>) => Promise<void>,
) => ({ event, lines, costs, play });

const DONE = ['completed', 'completed reused'];
const AGAIN = ['completed reused', 'completed reused'];

/** Scenarios of a search that two lines share. `accept` submits the request of the way of sharing under test. */
const STORIES = [
  story('finds', DONE, { calls: 1, charged: 1 }, async (stage, accept) => {
    await accept();
    await stage.work(FIND);
  }),
  story('finds nothing', DONE, { calls: 1, charged: 0 }, async (stage, accept) => {
    await accept();
    await stage.work(MISS);
  }),
  story(
    'fails',
    ['failed provider_error', 'failed provider_error reused'],
    { calls: 1, charged: 0 },
    async (stage, accept) => {
      await accept();
      await stage.work(FAILURE);
    },
  ),
  story(
    'fails, and is sent again',
    ['failed provider_error', 'failed provider_error reused', ...DONE],
    { calls: 2, charged: 1 },
    async (stage, accept) => {
      await accept();
      await stage.work(FAILURE);
      await accept();
      await stage.work(FIND);
    },
  ),
  story(
    'is cancelled in every batch',
    ['cancelled', 'cancelled reused'],
    { calls: 0, charged: 0 },
    async (stage, accept) => {
      await accept();
      for (const list of [...stage.lists.keys()].reverse()) await stage.cancel(list);
      expect(await stage.search()).toEqual([]);
    },
  ),
  story(
    'is cancelled after a claim',
    ['cancelled', 'cancelled reused'],
    { calls: 0, charged: 0 },
    async (stage, accept) => {
      await accept();
      const [{ job_id: id }] = (await stage.read())[0]!.jobs as [BatchJson['jobs'][number]];
      const claimed = (await leases.claimJobs(id))!;
      for (const list of stage.lists.keys()) await stage.cancel(list);
      expect(await leases.startJobs(claimed)).toBe(false);
    },
  ),
  story('is cancelled too late, while it runs', DONE, { calls: 1, charged: 1 }, async (stage, accept) => {
    await accept();
    const [job] = await stage.search();
    for (const list of stage.lists.keys()) await stage.cancel(list);
    expect(await leases.settleJobs(job!, FIND)).toBe(true);
  }),
  story('loses its worker once', DONE, { calls: 2, charged: 1 }, async (stage, accept) => {
    await accept();
    await stage.loseWorker();
    await stage.work(FIND);
  }),
  story(
    'loses its worker permanently',
    ['failed worker_lost', 'failed worker_lost reused'],
    { calls: 2, charged: 0 },
    async (stage, accept) => {
      await accept();
      await stage.loseWorker();
      await stage.loseWorker();
      expect(await stage.search()).toEqual([]);
    },
  ),
  story(
    'meets an empty balance',
    ['failed usage_limit', 'failed usage_limit reused'],
    { calls: 0, charged: 0 },
    async (stage, accept) => {
      await accept();
      await stage.takeAwayCredits();
      expect(await stage.search()).toEqual([]);
    },
  ),
  story(
    'is requested again within seven days',
    [...DONE, ...AGAIN],
    { calls: 1, charged: 1 },
    async (stage, accept) => {
      await accept();
      await stage.work(FIND);
      await stage.age('6 days 23 hours');
      await accept();
      expect(await stage.search()).toEqual([]);
    },
  ),
  story(
    'is requested again after seven days',
    [...DONE, ...DONE],
    { calls: 2, charged: 2 },
    async (stage, accept) => {
      await accept();
      await stage.work(FIND);
      await stage.age('7 days');
      await accept();
      await stage.work(FIND);
    },
  ),
  story(
    'is requested as fresh while it runs',
    [...DONE, 'completed', 'completed'],
    { calls: 3, charged: 3 },
    async (stage, accept) => {
      await accept();
      await accept(true);
      await stage.work(FIND);
    },
  ),
  story(
    'is also requested by another organisation',
    DONE,
    { calls: 1, charged: 1 },
    async (stage, accept) => {
      const other = await Stage.open();
      await Promise.all([accept(), other.accept(1)]);
      await Promise.all([stage.work(FIND), other.work(FIND)]);
      expect((await other.read())[0]!.jobs.map(lineOf)).toEqual(['completed']);
      expect(await other.costs()).toMatchObject({ calls: 1, charged: 1 });
    },
  ),
  story(
    'is joined at the very moment of its end',
    [...DONE, ...AGAIN],
    { calls: 1, charged: 1 },
    async (stage, accept) => {
      await accept();
      const [job] = await stage.search();
      await Promise.all([leases.settleJobs(job!, FIND), accept()]);
      expect(await stage.search()).toEqual([]);
    },
  ),
];

const SHARINGS = [
  {
    sharing: 'two batches',
    accept: async (stage: Stage, fresh: boolean) => {
      await stage.accept(1, fresh);
      await stage.accept(1, fresh);
    },
  },
  { sharing: 'two lines of one batch', accept: (stage: Stage, fresh: boolean) => stage.accept(2, fresh) },
];

describe.each(SHARINGS)('a search shared by $sharing', ({ accept }) => {
  it.each(STORIES)(
    'ends each line, with one charge at most, when it $event',
    async ({ play, lines, costs }) => {
      const stage = await Stage.open();
      await play(stage, (fresh = false) => accept(stage, fresh));
      const ended = await stage.read();
      expect(ended.flatMap((list) => list.jobs.map(lineOf))).toEqual(lines);
      for (const { status, counts, jobs } of ended) {
        expect(status).toBe('completed');
        for (const state of ['queued', 'running', 'completed', 'failed', 'cancelled'])
          expect([state, counts[state]]).toEqual([state, jobs.filter((job) => job.status === state).length]);
      }
      expect(await stage.costs()).toEqual({ ...costs, reserved: 0, onReusedLines: 0 });
    },
  );
});

/** Scenarios of a search after one of its two batches has left it while it waited for a worker. */
const SEQUELS = [
  story('finds', ['completed'], { calls: 1, charged: 1 }, (stage) => stage.work(FIND)),
  story('fails', ['failed provider_error'], { calls: 1, charged: 0 }, (stage) => stage.work(FAILURE)),
  story('loses its worker once', ['completed'], { calls: 2, charged: 1 }, async (stage) => {
    await stage.loseWorker();
    await stage.work(FIND);
  }),
  story('loses its worker permanently', ['failed worker_lost'], { calls: 2, charged: 0 }, async (stage) => {
    await stage.loseWorker();
    await stage.loseWorker();
    expect(await stage.search()).toEqual([]);
  }),
  story('is cancelled by the other as well', ['cancelled'], { calls: 0, charged: 0 }, async (stage) => {
    for (const list of stage.lists.keys()) await stage.cancel(list);
    expect(await stage.search()).toEqual([]);
  }),
  story('meets an empty balance', ['failed usage_limit'], { calls: 0, charged: 0 }, async (stage) => {
    await stage.takeAwayCredits();
    expect(await stage.search()).toEqual([]);
  }),
];

describe.each(SEQUELS)(
  'a search that one of two batches leaves, and that then $event',
  ({ play, lines: [end], costs }) => {
    it.each([
      // The other batch takes over the search and its charge: its line is no longer reused.
      { leaver: 'began it', list: 0, lines: ['cancelled', end] },
      { leaver: 'joined it', list: 1, lines: [end, 'cancelled reused'] },
    ])('goes on for the other when the batch that $leaver is cancelled', async ({ list, lines }) => {
      const stage = await Stage.open();
      await stage.accept(1);
      await stage.accept(1);
      await stage.cancel(list);
      const open = await stage.read();
      expect(open.map(({ status }) => status)).toEqual(
        list === 0 ? ['completed', 'queued'] : ['queued', 'completed'],
      );
      await play(stage, () => stage.accept(1));
      const ended = await stage.read();
      expect(ended.flatMap(({ jobs }) => jobs.map(lineOf))).toEqual(lines);
      expect(ended.map(({ status }) => status)).toEqual(['completed', 'completed']);
      const left = await stage.chargesOf(stage.lists[list]!);
      expect(left).toBe(0);
      expect(await stage.costs()).toEqual({ ...costs, reserved: 0, onReusedLines: 0 });
    });
  },
);

describe('a search that two batches share', () => {
  it('passes to the first line still waiting, including both lines of a batch that started it twice', async () => {
    const stage = await Stage.open();
    await stage.accept(2);
    await stage.accept(2);
    await stage.accept(1);
    await stage.cancel(0);
    await stage.work(FIND);
    expect((await stage.read()).flatMap(({ jobs }) => jobs.map(lineOf))).toEqual([
      'cancelled',
      'cancelled reused',
      'completed',
      'completed reused',
      'completed reused',
    ]);
    expect(await stage.chargesOf(stage.lists[1]!)).toBe(1);
    expect(await stage.costs()).toEqual({ calls: 1, charged: 1, reserved: 0, onReusedLines: 0 });
  });

  it('goes on for both if one batch is cancelled too late, while it runs', async () => {
    for (const list of [0, 1]) {
      const stage = await Stage.open();
      await stage.accept(1);
      await stage.accept(1);
      const [job] = await stage.search();
      await stage.cancel(list);
      expect(await leases.settleJobs(job!, FIND)).toBe(true);
      expect((await stage.read()).flatMap(({ jobs }) => jobs.map(lineOf))).toEqual(DONE);
      expect(await stage.costs()).toEqual({ calls: 1, charged: 1, reserved: 0, onReusedLines: 0 });
    }
  });

  it('is started once if batches arrive at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const stage = await Stage.open();
      await Promise.all(Array.from({ length: 4 }, () => stage.accept(2)));
      await stage.work(FIND);
      expect((await stage.read()).map(({ status }) => status)).toEqual(Array(4).fill('completed'));
      expect(await stage.costs()).toMatchObject({ calls: 1, charged: 1, reserved: 0 });
    }
  });

  it('does not end between the moment a batch finds it and the moment that batch is stored', async () => {
    const stage = await Stage.open();
    await stage.accept(1);
    const [job] = await stage.search();
    const service = findSlowService('getEmail')!;
    const lines = planLines(service, [ADA], false);
    const { settled } = await db.transaction(stage.ctx, async (tx) => {
      const matcher = new LineMatcher(db);
      const request: BatchRequest = {
        batchId: 'svcbatch_joining',
        service,
        lines,
        fresh: false,
        runId: null,
        idempotencyKey: null,
        bodyHash: 'hash',
        spendable: ledger.readSpendable(tx),
      };
      expect(await matcher.insertBatch(tx, request)).toMatchObject([{ jobId: job!.id, isOpen: true }]);
      let isThrough = false;
      const settling = leases.settleJobs(job!, FIND).finally(() => (isThrough = true));
      await waitFor(
        'the end to wait, or to be through',
        async () => isThrough || (await countWaiting(db)) > 0,
      );
      expect(isThrough).toBe(false);
      return { settled: settling };
    });
    expect(await settled).toBe(true);
  });

  it('is joined or repeated by batches that arrive at the very moment it fails', async () => {
    for (let round = 0; round < 20; round += 1) {
      const stage = await Stage.open();
      await stage.accept(2);
      const [job] = await stage.search();
      await Promise.all([leases.settleJobs(job!, FAILURE), stage.accept(1), stage.accept(2)]);
      await stage.work(FIND);
      const [first, ...later] = await stage.read();
      expect(first!.jobs.map(lineOf)).toEqual(['failed provider_error', 'failed provider_error reused']);
      expect(later.map(({ status }) => status)).toEqual(['completed', 'completed']);
      const { calls, charged, reserved } = await stage.costs();
      expect([calls - 1, reserved]).toEqual([charged, 0]);
      expect(charged).toBeLessThanOrEqual(1);
    }
  });
});
