import { afterEach, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { grantCredits } from '@quarry/credit-ledger';
import { IdentityStore } from '@quarry/identity';
import { systemCtx } from '@quarry/app';
import { ApiClient, ClientHistory, OWN_CANARY, SeededRandom } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { GatewayScene } from './spec-kit.js';

afterEach(() => GatewayScene.closeAll());

/** Concurrent clients of one organisation. A call may take 10 s; some of 64 took longer on a busy machine, 16 take 3 s. */
const CLIENTS = 16;
/** Milliseconds. A gateway caches a key for 4 s at most; without a further check it would admit it for ever. */
const REVOKED_WITHIN_MS = 60_000;

const person = (n: number | string, domain = 'ok.vendor.test') => ({
  first_name: `C${n}`,
  last_name: OWN_CANARY,
  domain,
});

const pool = (lastName: string) =>
  Array.from({ length: 60 }, (_, n) => ({
    ...person(n, n % 2 ? 'slow-1s.vendor.test' : 'ok.vendor.test'),
    last_name: lastName,
  }));

async function deadlocks(from: GatewayScene): Promise<number> {
  const sql = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';
  return (await rows<{ deadlocks: number }>(from, sql))[0]!.deadlocks;
}

/**
 * Locks two lines of a batch in the opposite order of the product, with `work` in between. PostgreSQL aborts the waiter that
 * checks for a deadlock first; this side checks later, so the product's transaction is aborted.
 */
async function crossing(from: GatewayScene, batchId: string, work: () => Promise<void>): Promise<void> {
  const lines = await rows<{ id: string }>(
    from,
    `SELECT job_id AS id FROM jobs.lines WHERE batch_id = '${batchId}' ORDER BY 1`,
  );
  const [low, high] = lines.map(({ id }) => id);
  await from.test.database.withOwnConnection(systemCtx('spec'), async (client) => {
    await client.query("SET LOCAL deadlock_timeout = '600s'; SET LOCAL statement_timeout = '600s'");
    await client.query('SELECT 1 FROM jobs.jobs WHERE id = $1 FOR UPDATE', [high]);
    // Runs within PostgreSQL, because it checks for a deadlock once, a second after the product has started to wait.
    const crossed = client.query(`DO $$ BEGIN
      WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))) LOOP
        PERFORM pg_sleep(0.005);
      END LOOP;
      PERFORM 1 FROM jobs.jobs WHERE id = '${low}' FOR UPDATE;
    END $$`);
    await Promise.all([work(), crossed.then(() => client.query('COMMIT'))]);
  });
}

async function rows<T>(from: GatewayScene, sql: string): Promise<T[]> {
  return (await from.test.database.query(systemCtx('spec'), sql)) as T[];
}

async function allEnded(from: GatewayScene): Promise<void> {
  const open = "SELECT 1 FROM jobs.jobs WHERE state IN ('queued', 'running') LIMIT 1";
  // It usually takes 20 s.
  await waitFor('every line to end', async () => (await rows(from, open)).length === 0, 120_000);
}

// Rows, credits and keys are in PostgreSQL with either queue, so one kind is enough.
describe('racing clients', () => {
  it('in opposite orders for the same lines cause no deadlock, and get nothing of another organisation', async () => {
    const scene = await GatewayScene.open({ gateways: 2 });
    const random = SeededRandom.of('racing clients');
    await Promise.all([scene.startWorker(), scene.startWorker()]);
    const { gateways, test } = scene;
    const [first, second] = gateways.map(({ url }) => url);
    const other = await createOrganisation(test.database, { name: 'Other', credits: 100_000 });
    // Two organisations that look up the same people, except for the last name, by which each recognises its own.
    const sides = [
      { history: new ClientHistory(() => first!, scene.apiKey, ['canarybravo']), pool: pool('Canaryalpha') },
      { history: new ClientHistory(() => second!, other.apiKey, ['canaryalpha']), pool: pool('Canarybravo') },
    ];
    const cancels: number[] = [];
    const client = async (index: number): Promise<void> => {
      const { history, pool: own } = sides[index % 2]!;
      for (let list = 0; list < 6; list += 1) {
        const { batchId } = await history.send(`c${index}-${list}`, random.shuffled(own).slice(0, 30));
        if (batchId === null || random.below(3) > 0) continue;
        cancels.push((await history.call('POST', `/v1/services/jobs/batch/${batchId}/cancel`)).status);
      }
    };
    await Promise.all(Array.from({ length: 32 }, (_, index) => client(index)));
    await allEnded(scene);
    const statuses: number[] = [];
    for (const [index, { history }] of sides.entries()) {
      for (const path of ['/v1/services/jobs?limit=100', '/credits/ledger'])
        expect((await history.call('GET', path)).status).toBe(200);
      for (const { batchId } of history.calls)
        await history.call('GET', `/v1/services/jobs/batch/${batchId}`);
      for (const { batchId } of sides[1 - index]!.history.calls.slice(0, 20))
        statuses.push((await history.call('GET', `/v1/services/jobs/batch/${batchId}`)).status);
    }
    const calls = sides.flatMap(({ history }) => history.calls);
    const surfaced = sides.flatMap(({ history }) => history.badAnswers);
    printMeasurement(
      `crossing orders: ${calls.length} lists of 30 from 32 clients of two organisations, ${cancels.length} cancelled, deadlocks ${await deadlocks(scene)} in PostgreSQL, ${surfaced.length} bad answers, seed ${random.seed}`,
    );
    expect(calls.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(cancels.filter((status) => status !== 200)).toEqual([]);
    expect(statuses).toEqual(Array(40).fill(404));
    for (const { history } of sides) expect(await history.broken(test.database)).toEqual([]);
    expect(await scene.close()).toEqual({});
  });

  it('for 137 lines pay for exactly 187, while 50 more are paid and a key is revoked', async () => {
    const scene = await GatewayScene.open({ gateways: 2, credits: 137 });
    const { gateways, orgId, test } = scene;
    await Promise.all([scene.startWorker(), scene.startWorker()]);
    const identity = new IdentityStore(test.database);
    const ctx = systemCtx('spec', orgId);
    const second = await identity.createKey(ctx, { orgId, mode: 'live' });
    const history = scene.watch.own;
    let next = 0;
    let revokedAt = Infinity;
    const effectiveMs: number[] = [];
    const client = async (index: number): Promise<void> => {
      for (let n = (next += 1); n <= 1000; n = next += 1) {
        await history.send(`top-${n}`, [person(`t${n}-${index}`)]);
        if (n === 300) await grantCredits(test.database, { orgId, amount: 50 });
        if (n === 500) {
          await identity.revokeKey(ctx, second.keyId);
          revokedAt = performance.now();
        }
      }
    };
    const other = async (url: string): Promise<void> => {
      for (;;) {
        const { status } = await new ApiClient(url, second.apiKey).get('/credits');
        if (status === 401) break;
        expect(status).toBe(200);
      }
      effectiveMs.push(performance.now() - revokedAt);
    };
    await Promise.all([
      ...gateways.map(({ url }) => other(url)),
      ...Array.from({ length: CLIENTS }, (_, index) => client(index)),
    ]);
    await allEnded(scene);
    const ended = await rows<{ state: string; n: number }>(
      scene,
      `SELECT state, count(*)::int AS n FROM jobs.jobs WHERE org_id = '${orgId}' GROUP BY state ORDER BY state`,
    );
    const slowest = [...history.calls].sort((a, b) => a.tookMs - b.tookMs)[
      Math.floor(history.calls.length * 0.99)
    ]!;
    printMeasurement(
      `1,000 lists on 137 credits and 50 more: ${JSON.stringify(ended)}, answered p99 ${Math.round(slowest.tookMs)} ms, revoked key refused after ${effectiveMs.map(Math.round)} ms`,
    );
    // A miss is free, so exact credits can be expected.
    expect(
      await rows(
        scene,
        `SELECT spent::int, available::int, reserved::int FROM credits.accounts WHERE mode = 'live' AND org_id = '${orgId}'`,
      ),
    ).toEqual([{ spent: 187_000, available: 0, reserved: 0 }]);
    expect(Math.max(...effectiveMs)).toBeLessThan(REVOKED_WITHIN_MS);
    expect(history.calls.filter(({ outcome, status }) => outcome !== 'ok' && status !== 402)).toEqual([]);
    expect(await scene.close()).toEqual({});
  });
});

describe('clients', () => {
  it('do not notice that PostgreSQL ended them in a deadlock', async () => {
    const scene = await GatewayScene.open({ gateways: 1 });
    const history = scene.watch.own;
    const statuses: number[] = [];
    const ROUNDS = 2;
    for (let round = 0; round < ROUNDS; round += 1) {
      const inputs = [person(`x${round}`), person(`y${round}`)];
      const { batchId } = await history.send(`cross-${round}`, inputs);
      await crossing(scene, batchId!, async () => {
        // Joins the searches of the first batch, which locks them.
        statuses.push((await history.send(`join-${round}`, inputs)).status);
      });
      await crossing(scene, batchId!, async () => {
        statuses.push((await history.call('POST', `/v1/services/jobs/batch/${batchId}/cancel`)).status);
      });
    }
    const { batchId } = await history.send('claimed', [person('x'), person('y')]);
    await crossing(scene, batchId!, async () => void (await scene.startWorker()));
    await allEnded(scene);
    const met = await waitFor('PostgreSQL to have counted', async () => {
      const count = await deadlocks(scene);
      // The claim gives up the lock before PostgreSQL checks for a deadlock.
      return count >= 2 * ROUNDS && count;
    });
    printMeasurement(
      `deadlocks forced on joins, cancellations and a claim: ${met} in PostgreSQL, ${history.badAnswers.length} shown to a client`,
    );
    expect(statuses).toEqual(Array.from({ length: ROUNDS }, () => [202, 200]).flat());
    expect(await scene.close()).toEqual({});
  });

  it('that lost the response of a committed batch get the same batch for the same key', async () => {
    const scene = await GatewayScene.open({ gateways: 1, isFragile: true });
    const { proxy } = scene;
    const history = scene.watch.own;
    const LISTS = 5;
    let reported = 0;
    for (let i = 0; i < LISTS; i += 1) {
      const inputs = [person(`${i}a`), person(`${i}b`)];
      scene.watch.isOutage = true;
      await proxy.set({ kind: 'drop-answer', to: 'COMMIT' });
      const first = await history.send(`lost-${i}`, inputs);
      await proxy.set({ kind: 'pass' });
      scene.watch.isOutage = false;
      if (first.outcome === 'ok') reported += 1;
      await waitFor('the retry to be answered', async () => {
        const again = await history.send(`lost-${i}`, inputs);
        return again.outcome === 'ok';
      });
    }
    const made = await rows<{ n: number }>(
      scene,
      `SELECT count(*)::int AS n FROM jobs.batches WHERE org_id = '${scene.orgId}'`,
    );
    printMeasurement(
      `answers lost after the commit: ${proxy.answersDropped} of ${LISTS}, lists made ${made[0]!.n}, told at the first try ${reported}`,
    );
    expect(proxy.answersDropped).toBe(LISTS);
    expect(made).toEqual([{ n: LISTS }]);
    expect(await scene.close()).toEqual({});
  });

  it('that lost the response of a committed run get the same run for the same key', async () => {
    const scene = await GatewayScene.open({ gateways: 1, isFragile: true });
    await scene.startRuns();
    const { proxy } = scene;
    const api = scene.client();
    const RUNS = 5;
    const firstStatuses = new Set<number>();
    const runs = 'SELECT id FROM runs.runs ORDER BY created_at';
    const reported: string[] = [];
    for (let i = 0; i < RUNS; i += 1) {
      scene.watch.isOutage = true;
      const ask = () =>
        api.post<{ id: string }>('/v1/runs', { prompt: `${i} bakers` }, { 'idempotency-key': `run-${i}` });
      await proxy.set({ kind: 'drop-answer', to: 'COMMIT' });
      const first = await ask();
      firstStatuses.add(first.status);
      await proxy.set({ kind: 'pass' });
      scene.watch.isOutage = false;
      expect(await rows(scene, runs)).toHaveLength(i + 1);
      const again = await waitFor('the retry to be answered', async () => {
        const answer = await ask();
        return answer.status === 202 && answer;
      });
      reported.push(again.body.id);
    }
    printMeasurement(
      `runs whose commit's answer was lost: ${proxy.answersDropped} of ${RUNS}, first answers ${[...firstStatuses].join(', ')}, runs made ${reported.length}`,
    );
    expect(proxy.answersDropped).toBe(RUNS);
    expect((await rows<{ id: string }>(scene, runs)).map(({ id }) => id)).toEqual(reported);
    expect(await scene.close()).toEqual({});
  });
});
