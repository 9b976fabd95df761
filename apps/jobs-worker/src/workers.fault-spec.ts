import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { batchPart, createOrganisation, searchPart, type BatchPart } from '@quarry/composition';
import { QUEUES } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { QueueBus, freePort, systemCtx, type Ctx } from '@quarry/platform';
import {
  AppProcess,
  brokenInvariants,
  createTestDatabase,
  figure,
  startTestRedis,
  waitFor,
  type TestDatabase,
  type TestRedis,
} from '@quarry/testing';

const SECRET = 'c'.repeat(32);
/** Lines are found again this long after their worker's death at the latest: lease, then the reconciler's round. */
const RECOVERY_MS = 45_000;

describe.each(['postgres', 'redis'] as const)('workers and faults, queues on %s', (backend) => {
  let database: TestDatabase;
  let redis: TestRedis | null;
  let queueUrl: string;
  let queues: QueueBus<typeof QUEUES>;
  let accept: BatchPart;
  let ctx: Ctx;
  let people = 0;
  const workers: AppProcess[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    redis = backend === 'redis' ? await startTestRedis() : null;
    queueUrl = redis?.url ?? database.url;
    queues = await QueueBus.open(QUEUES, { url: queueUrl });
    accept = batchPart({
      database: database.database,
      queues,
      search: searchPart(true),
      cursorSecret: SECRET,
    });
    const { orgId } = await createOrganisation(database.database, { name: 'Faults', credits: 100_000 });
    ctx = systemCtx('fault-spec', orgId);
  }, 60_000);

  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop('SIGKILL')));
    accept.close();
    const broken = await brokenInvariants(database.database);
    await queues.close();
    await redis?.stop();
    await dropWhenFree();
    expect(broken).toEqual({});
  }, 60_000);

  /** Connections of killed processes end a moment after them. */
  async function dropWhenFree(): Promise<void> {
    await waitFor('connections to end', async () => {
      const row = await database.database.queryOne<{ others: number }>(
        systemCtx('spec'),
        "SELECT count(*)::int AS others FROM pg_stat_activity WHERE datname = current_database() AND application_name NOT LIKE 'spec%'",
      );
      return row?.others === 0;
    });
    await database.drop();
  }

  async function startWorker(): Promise<AppProcess> {
    const worker = AppProcess.start('jobs-worker', {
      DATABASE_URL: database.url,
      QUEUE_URL: queueUrl,
      CURSOR_SECRET: SECRET,
      SANDBOX: 'on',
      DRAIN_MS: '500',
      RPC_PORT: String(await freePort()),
      LOG_LEVEL: 'info',
    });
    await worker.printed('lines are worked on');
    workers.push(worker);
    return worker;
  }

  const inputs = (count: number, seconds = 1) =>
    Array.from({ length: count }, () => ({
      first_name: `P${++people}`,
      last_name: 'Doe',
      domain: `slow-${seconds}s.sandbox.test`,
    }));

  async function send(lines: number, seconds = 1): Promise<string> {
    return (await accept.batches.create(ctx, { service: 'getEmail', inputs: inputs(lines, seconds) }))
      .batchId;
  }

  async function openLines(): Promise<number> {
    const sql = "SELECT count(*)::int AS n FROM jobs.jobs WHERE state IN ('queued', 'running')";
    return (await database.database.queryOne<{ n: number }>(ctx, sql))!.n;
  }

  async function counts(): Promise<Record<string, number>> {
    const rows = await database.database.query<{ state: string; n: number }>(
      ctx,
      'SELECT state, count(*)::int AS n FROM jobs.jobs GROUP BY state',
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  }

  async function secondAttempts(): Promise<number> {
    const sql = 'SELECT count(*)::int AS n FROM jobs.jobs WHERE attempt = 2';
    return (await database.database.queryOne<{ n: number }>(ctx, sql))!.n;
  }

  const allEnded = (timeoutMs: number) =>
    waitFor('every line to end', async () => (await openLines()) === 0, timeoutMs);
  const running = (least: number) =>
    waitFor('lines to run', async () => ((await counts()).running ?? 0) >= least, 20_000);

  it('a worker killed in the middle of its calls loses no line and charges none twice', async () => {
    const [victim] = [await startWorker()];
    await send(40, 3);
    await running(20);
    await victim.stop('SIGKILL');
    const killedAt = performance.now();
    await startWorker();
    await waitFor('a line to run again', async () => (await secondAttempts()) > 0, RECOVERY_MS);
    figure(
      `worker killed in its calls (${backend}): running again after ${Math.round(performance.now() - killedAt)} ms, lease 30 s`,
    );
    await allEnded(RECOVERY_MS + 15_000);
    expect(await counts()).toEqual({ completed: 40 });
    const attempts = await database.database.queryOne<{ most: number }>(
      ctx,
      'SELECT max(attempt) AS most FROM jobs.jobs',
    );
    expect(attempts).toEqual({ most: 2 });
  }, 120_000);

  it('a worker asked to stop hands its lines back, and another goes on within seconds', async () => {
    const leaving = await startWorker();
    await send(10, 20);
    await running(10);
    expect(await leaving.stop('SIGTERM')).toBe(0);
    const row = await database.database.queryOne<{ leased: number }>(
      ctx,
      'SELECT count(lease_token)::int AS leased FROM jobs.jobs',
    );
    expect(row).toEqual({ leased: 0 });
    const handedBackAt = performance.now();
    await startWorker();
    await waitFor('the lines to be claimed again', async () => (await secondAttempts()) === 10, 20_000);
    figure(
      `worker asked to stop (${backend}): running again after ${Math.round(performance.now() - handedBackAt)} ms, a start included`,
    );
    // The new process's own start is in this figure.
    expect(performance.now() - handedBackAt).toBeLessThan(12_000);
    await allEnded(40_000);
  }, 120_000);

  it('a list whose delivery was lost after its commit is claimed within 15 seconds', async () => {
    await startWorker();
    const silent = batchPart({
      database: database.database,
      queues: { add: () => Promise.resolve() } as never,
      search: searchPart(true),
      cursorSecret: SECRET,
    });
    await silent.batches.create(ctx, { service: 'getEmail', inputs: inputs(5) });
    const committedAt = performance.now();
    await waitFor('the list to be claimed', async () => (await counts()).queued === undefined, 15_000);
    figure(
      `enqueue lost after its commit (${backend}): claimed after ${Math.round(performance.now() - committedAt)} ms`,
    );
    silent.close();
    await allEnded(10_000);
  }, 60_000);

  it('a message that is delivered fifty times is worked on once', async () => {
    await Promise.all([startWorker(), startWorker()]);
    const { batchId } = await accept.batches.create(ctx, { service: 'getEmail', inputs: inputs(1) });
    const { jobs } = JSON.parse((await accept.batches.read(ctx, batchId)).json) as {
      jobs: Array<{ job_id: string }>;
    };
    await queues.add(
      'service-get-email',
      Array.from({ length: 50 }, () => ({ jobIds: [jobs[0]!.job_id] })),
    );
    await allEnded(20_000);
    await waitFor('the repeats to be taken', async () => (await queues.depth('service-get-email')) === 0);
    figure(`one line delivered 50 times more (${backend}): no message left`);
    expect(await database.database.queryOne(ctx, 'SELECT attempt, claims FROM jobs.jobs')).toEqual({
      attempt: 1,
      claims: 1,
    });
  }, 60_000);

  it('a thousand lists at once on a balance for 137 lines hold exactly 137', async () => {
    const { orgId } = await createOrganisation(database.database, { name: 'Poor', credits: 137 });
    const poor = systemCtx('poor', orgId);
    await Promise.all([startWorker(), startWorker()]);
    const sendOne = () =>
      accept.batches.create(poor, { service: 'getEmail', inputs: inputs(1) }).then(
        () => 'accepted',
        (error: unknown) => (error instanceof AppError ? error.code : 'surprise'),
      );
    const outcomes: string[] = [];
    for (let i = 0; i < 1000; i += 50)
      outcomes.push(...(await Promise.all(Array.from({ length: 50 }, sendOne))));
    await allEnded(60_000);
    expect(new Set(outcomes)).toEqual(
      new Set(
        outcomes.includes('insufficient_credits') ? ['accepted', 'insufficient_credits'] : ['accepted'],
      ),
    );
    const ends = await counts();
    figure(`1,000 lists on a balance for 137 lines (${backend}): ${ends.completed} held and completed`);
    expect(ends.completed).toBe(137);
    expect(137 + (ends.failed ?? 0)).toBe(outcomes.filter((outcome) => outcome === 'accepted').length);
  }, 120_000);

  it('workers killed at random while lists keep coming end every line exactly once', async () => {
    await Promise.all([startWorker(), startWorker(), startWorker()]);
    // A fixed sequence, printed by its name: the same workers die in the same order at every run.
    const order = [0, 2, 1, 1, 0, 2];
    for (const index of order) {
      await Promise.all(Array.from({ length: 4 }, () => send(25, 1)));
      await running(20);
      await workers[index]!.stop('SIGKILL');
      workers.splice(index, 1);
      await startWorker();
    }
    await allEnded(120_000);
    const ends = await counts();
    expect((ends.completed ?? 0) + (ends.failed ?? 0)).toBe(order.length * 100);
    // Only a line that lost two workers may fail, and it says so.
    const errors = await database.database.query<{ code: string }>(
      ctx,
      "SELECT DISTINCT error ->> 'code' AS code FROM jobs.jobs WHERE state = 'failed'",
    );
    expect(errors.filter(({ code }) => code !== 'worker_lost')).toEqual([]);
  }, 240_000);
});

describe('workers and a queue that loses everything', () => {
  it('a flushed Redis delays lines and loses none', async () => {
    const database = await createTestDatabase();
    const redis = await startTestRedis();
    const queues = await QueueBus.open(QUEUES, { url: redis.url });
    const accept = batchPart({
      database: database.database,
      queues,
      search: searchPart(true),
      cursorSecret: SECRET,
    });
    const { orgId } = await createOrganisation(database.database, { name: 'Flush', credits: 1000 });
    const ctx = systemCtx('flush', orgId);
    const worker = AppProcess.start('jobs-worker', {
      DATABASE_URL: database.url,
      QUEUE_URL: redis.url,
      CURSOR_SECRET: SECRET,
      SANDBOX: 'on',
      RPC_PORT: String(await freePort()),
    });
    await worker.printed('lines are worked on');
    const batchIds: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      const lines = Array.from({ length: 50 }, (_, n) => ({
        first_name: `F${i}x${n}`,
        last_name: 'Doe',
        domain: 'slow-1s.sandbox.test',
      }));
      batchIds.push((await accept.batches.create(ctx, { service: 'getEmail', inputs: lines })).batchId);
    }
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    await client.flushall();
    const flushedAt = performance.now();
    client.disconnect();
    for (const batchId of batchIds)
      await waitFor(`batch ${batchId}`, async () => (await accept.batches.read(ctx, batchId)).done, 45_000);
    figure(`Redis flushed: 200 lines ended ${Math.round(performance.now() - flushedAt)} ms later`);
    expect(await brokenInvariants(database.database)).toEqual({});
    await worker.stop();
    accept.close();
    await queues.close();
    await redis.stop();
    await database.drop();
  }, 120_000);
});
