import { afterEach, describe, expect, it } from '@jest/globals';
import { grantCredits } from '@quarry/composition';
import { IdentityStore } from '@quarry/edge';
import { systemCtx } from '@quarry/platform';
import { ApiClient, brokenInvariants, ClientHistory, figure, SeededRandom, waitFor } from '@quarry/testing';
import { GatewayScene } from './spec-kit.js';

let scene: GatewayScene | null = null;
afterEach(async () => {
  await scene?.close();
  scene = null;
}, 60_000);

const person = (n: number | string, domain = 'acme.example') => ({
  first_name: `C${n}`,
  last_name: 'Doe',
  domain,
});

async function rows<T>(from: GatewayScene, sql: string): Promise<T[]> {
  return (await from.test.database.query(systemCtx('spec'), sql)) as T[];
}

async function allEnded(from: GatewayScene): Promise<void> {
  const open = "SELECT 1 FROM jobs.jobs WHERE state IN ('queued', 'running') LIMIT 1";
  await waitFor('every line to end', async () => (await rows(from, open)).length === 0, 60_000);
}

describe('clients that race', () => {
  it('in crossing orders for the same lines meet no deadlock', async () => {
    scene = await GatewayScene.open({ gateways: 2 });
    const random = SeededRandom.fromEnvironment();
    await Promise.all([scene.startWorker(), scene.startWorker()]);
    const { gateways, apiKey, test } = scene;
    const pool = Array.from({ length: 60 }, (_, n) =>
      person(n, n % 2 ? 'slow-1s.sandbox.test' : 'acme.example'),
    );
    const histories = gateways.map(({ url }) => new ClientHistory(url, apiKey));
    const cancels: number[] = [];
    const client = async (index: number): Promise<void> => {
      for (let list = 0; list < 6; list += 1) {
        const inputs = random.shuffled(pool).slice(0, 30);
        const { batchId } = await histories[index % 2]!.send(`c${index}-${list}`, inputs);
        if (batchId === null || random.below(3) > 0) continue;
        const path = `/v1/services/jobs/batch/${batchId}/cancel`;
        cancels.push((await new ApiClient(gateways[index % 2]!.url, apiKey).post(path, {})).status);
      }
    };
    await Promise.all(Array.from({ length: 32 }, (_, index) => client(index)));
    await allEnded(scene);
    const [row] = await rows<{ deadlocks: number }>(
      scene,
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
    );
    const calls = histories.flatMap((history) => history.calls);
    const surfaced = histories.flatMap(({ badAnswers }) => badAnswers);
    figure(
      `crossing orders: ${calls.length} lists of 30 from 32 clients, ${cancels.length} cancelled, deadlocks ${row!.deadlocks} in PostgreSQL, ${surfaced.length} shown to a client, seed ${random.seed}`,
    );
    expect(calls.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(cancels.filter((status) => status !== 200)).toEqual([]);
    for (const history of histories) expect(await history.broken(test.database)).toEqual([]);
    expect(await brokenInvariants(test.database)).toEqual({});
  }, 120_000);

  it('whose answer was lost after its commit get the same list when they ask again with the key', async () => {
    scene = await GatewayScene.open({ gateways: 1, isFragile: true });
    const { proxy, apiKey, gateways, test } = scene;
    const history = new ClientHistory(gateways[0]!.url, apiKey);
    const LISTS = 20;
    let told = 0;
    for (let i = 0; i < LISTS; i += 1) {
      const inputs = [person(`${i}a`), person(`${i}b`)];
      history.isOutage = true;
      await proxy.set({ kind: 'drop-answer', to: 'COMMIT' });
      const first = await history.send(`lost-${i}`, inputs);
      await proxy.set({ kind: 'pass' });
      history.isOutage = false;
      if (first.outcome === 'ok') told += 1;
      await waitFor('the retry to be answered', async () => {
        const again = await history.send(`lost-${i}`, inputs);
        return again.outcome === 'ok';
      });
    }
    const made = await rows<{ n: number }>(scene, 'SELECT count(*)::int AS n FROM jobs.batches');
    figure(
      `answers lost after the commit: ${proxy.answersDropped} of ${LISTS}, lists made ${made[0]!.n}, told at the first try ${told}`,
    );
    expect(proxy.answersDropped).toBe(LISTS);
    expect(made).toEqual([{ n: LISTS }]);
    expect(await history.broken(test.database)).toEqual([]);
    expect(await brokenInvariants(test.database)).toEqual({});
  }, 120_000);

  it('for 137 lines, while 50 more are paid for and a key is revoked, pay for exactly 187', async () => {
    scene = await GatewayScene.open({ gateways: 2, credits: 137 });
    const { gateways, apiKey, orgId, test } = scene;
    await Promise.all([scene.startWorker(), scene.startWorker()]);
    const identity = new IdentityStore(test.database);
    const ctx = systemCtx('spec', orgId);
    const second = await identity.createKey(ctx, { orgId, mode: 'live' });
    const history = new ClientHistory(gateways[0]!.url, apiKey);
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
      ...Array.from({ length: 64 }, (_, index) => client(index)),
    ]);
    await allEnded(scene);
    const ended = await rows<{ state: string; n: number }>(
      scene,
      'SELECT state, count(*)::int AS n FROM jobs.jobs GROUP BY state ORDER BY state',
    );
    const slowest = [...history.calls].sort((a, b) => a.tookMs - b.tookMs)[
      Math.floor(history.calls.length * 0.99)
    ]!;
    figure(
      `1,000 lists on 137 credits and 50 more: ${JSON.stringify(ended)}, answered p99 ${Math.round(slowest.tookMs)} ms, revoked key refused after ${effectiveMs.map(Math.round)} ms`,
    );
    // A miss is free, so it is the money that is exact.
    expect(
      await rows(
        scene,
        "SELECT spent::int, available::int, reserved::int FROM credits.accounts WHERE mode = 'live'",
      ),
    ).toEqual([{ spent: 187_000, available: 0, reserved: 0 }]);
    expect(Math.max(...effectiveMs)).toBeLessThan(5000);
    expect(history.calls.filter(({ outcome, status }) => outcome !== 'ok' && status !== 402)).toEqual([]);
    expect(await history.broken(test.database)).toEqual([]);
    expect(await brokenInvariants(test.database)).toEqual({});
  }, 120_000);
});
