import { afterEach, describe, expect, it } from '@jest/globals';
import { OWN_CANARY } from '@quarry/testing';
import { figure } from '@quarry/test-servers';
import { GatewayScene } from './spec-kit.js';

afterEach(() => GatewayScene.closeAll(), 60_000);

const person = (n: number) => ({ first_name: `H${n}`, last_name: OWN_CANARY, domain: 'ok.vendor.test' });
const quantile = (sorted: readonly number[], q: number) => sorted[Math.floor((sorted.length - 1) * q)]!;

/** @returns when a list of one line ended; NaN when it has not */
function endOf(text: string): number {
  const { jobs } = JSON.parse(text) as { jobs: Array<{ completed_at: string | null }> };
  return Date.parse(jobs[0]?.completed_at ?? '');
}

async function accept(from: GatewayScene, lists: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < lists; i += 1) {
    const { batchId, status } = await from.watch.own.send(`list-${i}`, [person(i)]);
    expect(status).toBe(202);
    ids.push(batchId!);
  }
  return ids;
}

describe('held reads', () => {
  it('are answered at once by a gateway that is asked to stop, restart after restart', async () => {
    const scene = await GatewayScene.open({ gateways: 2 });
    const { gateways } = scene;
    const [batchId] = await accept(scene, 1);
    const waitsMs: number[] = [];
    const statuses = new Map<number, number>();
    const exits: Array<number | null> = [];
    const exitMs: number[] = [];
    const polled = new Map<number, number>();
    let isOver = false;
    // A load balancer takes a gateway out before it is stopped; whoever polls meets the others.
    const poll = async (): Promise<void> => {
      // It also ends with the scene of a test that failed.
      while (!isOver && scene.isOpen) {
        const { status } = await scene
          .client(gateways.at(-1))
          .get(`/v1/services/jobs/batch/${batchId}`)
          .catch(() => ({ status: 0 }));
        polled.set(status, (polled.get(status) ?? 0) + 1);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const polling = poll();
    const RESTARTS = 20;
    for (let i = 0; i < RESTARTS; i += 1) {
      const leaving = gateways.shift()!;
      const held = await scene.hold(
        leaving.url,
        Array.from({ length: 200 }, () => batchId!),
      );
      const askedAt = performance.now();
      const exit = leaving.app.stop('SIGTERM');
      for (const answer of await Promise.all(held)) {
        waitsMs.push(answer.atMs - askedAt);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
      exits.push(await exit);
      exitMs.push(Math.round(performance.now() - askedAt));
      gateways.push(await scene.startGateway());
    }
    isOver = true;
    await polling;
    const slowest = Math.max(...waitsMs);
    figure(
      `gateway restarts: ${RESTARTS} with 200 held reads each, answered within ${Math.round(slowest)} ms, gone within ${Math.max(...exitMs)} ms, statuses ${JSON.stringify([...statuses])} (0 is a reset), polls ${JSON.stringify([...polled])}`,
    );
    expect([...statuses]).toEqual([[200, 200 * RESTARTS]]);
    expect([...polled.keys()]).toEqual([200]);
    expect(exits).toEqual(Array(RESTARTS).fill(0));
    expect(slowest).toBeLessThan(1000);
    expect(await scene.close()).toEqual({});
  }, 180_000);

  it('wake together by the thousand, and own no database connection', async () => {
    const scene = await GatewayScene.open({ gateways: 1 });
    const ids = await accept(scene, 200);
    const before = await scene.databaseClients();
    const held = await scene.hold(
      scene.gateways[0]!.url,
      Array.from({ length: 2000 }, (_, i) => ids[i % ids.length]!),
    );
    const during = await scene.databaseClients();
    const worker = await scene.startWorker({ SERVICES_RPC: 'off' });
    const answers = await Promise.all(held);
    await worker.stop();
    const woken = answers.map(({ at, text }) => at - endOf(text)).sort((a, b) => a - b);
    const [p50, p99] = [quantile(woken, 0.5), quantile(woken, 0.99)];
    figure(
      `held reads: 2,000 over 200 lists, woken p50 ${p50} ms, p99 ${p99} ms, database clients ${before} before and ${during} while held`,
    );
    expect(answers.filter(({ status, text }) => status !== 200 || Number.isNaN(endOf(text)))).toEqual([]);
    expect(during - before).toBeLessThan(10);
    expect(p99).toBeLessThan(1000);
    expect(await scene.close()).toEqual({});
  }, 120_000);
});
