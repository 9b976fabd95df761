import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HeldReads, isRunning } from '@quarry/testing';
import { printMeasurement, TcpBalancer, waitFor } from '@quarry/test-servers';
import { Clients } from '../gateway/rollouts/spec-kit.js';
import { KINDS, type Kind } from './fleet-processes.fixture.js';
import { FleetScene, isWell } from './spec-kit.js';

const STOPS = 2;
/** Number of reads that a gateway holds when it is stopped. */
const HELD = 50;
/** Milliseconds until a stopping gateway has answered its held reads. Usually a tenth of a second; otherwise up to 60 s. */
const ANSWERED_WITHIN_MS = 20_000;
/** Milliseconds between a balancer's health checks of a gateway; a stopping gateway continues for SHUTDOWN_DELAY_MS. */
const PROBE_MS = 50;
const PARTS = {
  env: {
    GATEWAYS: '2',
    TABLES: '2',
    RUNS_AGENTS: '2',
    SERVICES: '2',
    SHUTDOWN_DELAY_MS: '4000',
    DRAIN_MS: '1000',
  },
};

let scene: FleetScene;
let balancer: TcpBalancer;
let probing: Promise<void>;
let isOver = false;

beforeAll(async () => {
  scene = await FleetScene.open(PARTS);
  balancer = await TcpBalancer.before(scene.gateways.map(addressOf));
  probing = probe();
});
afterAll(async () => {
  isOver = true;
  await probing;
  await FleetScene.closeAll();
  balancer.close();
});

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/** Removes gateways that are not ready from the balancer, as HTTP balancers do. */
async function probe(): Promise<void> {
  while (!isOver) {
    const isReady = await Promise.all(scene.gateways.map((url) => isWell(`${url}/readyz`)));
    const ready = scene.gateways.filter((_, i) => isReady[i]);
    if (ready.length > 0) balancer.use(ready.map(addressOf));
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
}

/** Stops a process as an orchestrator does, and waits for its replacement. @returns milliseconds for each */
async function stopOne(kind: Kind): Promise<{ goneMs: number; backMs: number }> {
  const { pid, metricsPort } = scene.processesOf(kind)[0]!;
  const from = performance.now();
  process.kill(pid, 'SIGTERM');
  await waitFor(`${kind} to end`, async () => !isRunning(pid));
  const goneMs = Math.round(performance.now() - from);
  await waitFor(`${kind} to be back`, () => isWell(`http://127.0.0.1:${metricsPort}/readyz`));
  return { goneMs, backMs: Math.round(performance.now() - from) };
}

describe('a fleet whose processes are stopped under load', () => {
  it.each(Object.keys(KINDS) as Kind[])(
    `each %s in turn, ${STOPS} times: nobody is reset or answered 5xx, and no write is lost`,
    async (kind) => {
      const before = scene.crashes;
      const clients = await new Clients(
        `http://127.0.0.1:${balancer.port}`,
        scene.apiKey,
        'slow-20s',
      ).start();
      const stops: Array<{ goneMs: number; backMs: number }> = [];
      for (let i = 0; i < STOPS; i += 1) stops.push(await stopOne(kind));
      const answers = await clients.stop();
      printMeasurement(
        `fleet, ${STOPS} stops of ${kind}: gone within ${Math.max(...stops.map(({ goneMs }) => goneMs))} ms, another ready within ${Math.max(...stops.map(({ backMs }) => backMs))} ms: ${JSON.stringify(answers)}`,
      );
      expect(clients.faults).toEqual([]);
      // Each process exited with code 0; the fleet restarts it.
      const ends = scene.app.output.match(/ended \(([^)]*)\); it is started again/g)!.slice(before);
      expect(ends.filter((end) => !end.includes('(code 0)'))).toEqual([]);
      expect(ends).toHaveLength(STOPS);
      for (const [table, ids] of [
        ['tables.workspaces', clients.acknowledged.workspaces],
        ['jobs.batches', clients.acknowledged.batches],
        ['runs.runs', clients.acknowledged.runs],
      ] as const) {
        expect(ids.length).toBeGreaterThan(STOPS);
        const kept = `SELECT count(*)::int AS n FROM ${table} WHERE id = ANY ($1)`;
        expect((await scene.one<{ n: number }>(kept, [ids])).n).toBe(ids.length);
      }
      expect(await scene.findings()).toEqual({});
    },
  );

  it('a gateway answers its waiting reads before it stops', async () => {
    const load = scene.load();
    await load.stop();
    const { batchId } = await load.history.send('held', [
      { first_name: 'Held', last_name: 'Doe', domain: 'held.vendor.test' },
    ]);
    const [gateway] = scene.processesOf('gateway');
    const url = `http://127.0.0.1:${gateway!.env.PORT}`;
    const reads = new HeldReads(url, scene.apiKey);
    const path = `/v1/services/jobs/batch/${batchId}?wait_seconds=60`;
    const held = await reads.ask(Array.from({ length: HELD }, () => path));
    // After the second response, all held reads have arrived.
    for (let i = 0; i < 2; i += 1) await Promise.all(await reads.ask(['/credits']));
    const askedAt = performance.now();
    const stopped = stopOne('gateway');
    const answers = await Promise.all(held);
    const slowest = Math.round(Math.max(...answers.map(({ atMs }) => atMs)) - askedAt);
    await stopped;
    reads.close();
    scene.vendor.override = 'ok';
    scene.vendor.release();
    printMeasurement(
      `fleet, a gateway with ${HELD} held reads: answered within ${slowest} ms of its SIGTERM`,
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(HELD).fill(200));
    expect(slowest).toBeLessThan(ANSWERED_WITHIN_MS);
    expect(await scene.findings()).toEqual({});
  });
});
