import { afterEach, describe, expect, it } from '@jest/globals';
import { CONNECTION_BUDGETS, connectionsIn } from '@quarry/postgres';
import { printMeasurement } from '@quarry/test-servers';
import { accept, HELD_MS, itAnswersHeldReads } from './held-reads.fixture.js';
import { GatewayScene } from './spec-kit.js';

afterEach(() => GatewayScene.closeAll());

/** Milliseconds from the end of a batch until its held read is answered. Usually 0.4 s; without a wake-up the full hold time. */
const WOKEN_WITHIN_MS = HELD_MS / 3;
const QUEUE_CONNECTIONS = 5;
/** Connection budget of the processes; 8 are usual. One connection per read would reach PostgreSQL's limit of 100. */
const CLIENTS_MAX =
  connectionsIn(CONNECTION_BUDGETS.gateway) +
  connectionsIn(CONNECTION_BUDGETS['jobs-worker, SERVICES_RPC=on']) +
  QUEUE_CONNECTIONS;

const quantile = (sorted: readonly number[], q: number) => sorted[Math.floor((sorted.length - 1) * q)]!;

/** @returns the time at which a batch of one line ended; NaN when it has not */
function endOf(text: string): number {
  const { jobs } = JSON.parse(text) as { jobs: Array<{ completed_at: string | null }> };
  return Date.parse(jobs[0]?.completed_at ?? '');
}

describe('waiting reads', () => {
  itAnswersHeldReads({ restarts: 4 });

  it('wake together by the thousand, and hold no database connection', async () => {
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
    printMeasurement(
      `held reads: 2,000 over 200 lists, woken p50 ${p50} ms, p99 ${p99} ms, database clients ${before} before and ${during} while held`,
    );
    expect(answers.filter(({ status, text }) => status !== 200 || Number.isNaN(endOf(text)))).toEqual([]);
    expect(during).toBeLessThanOrEqual(CLIENTS_MAX);
    expect(p99).toBeLessThan(WOKEN_WITHIN_MS);
    expect(await scene.close()).toEqual({});
  });
});
