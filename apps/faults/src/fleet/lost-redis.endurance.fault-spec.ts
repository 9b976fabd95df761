import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { figure, waitFor } from '@quarry/test-servers';
import { Redis } from 'ioredis';
import { FleetScene, type FleetLoad } from './spec-kit.js';

/** It takes 5 to 18 s. A line that nobody finds without Redis waits until it is back, or for ever. */
const GAP_MAX_MS = 90_000;
const FROZEN_MS = 60_000;
const GONE_MS = 120_000;
const LINES = 200;
const THIRD = 67;
/** Many times what the queues of this load take, and soon full of ballast. */
const FULL_BYTES = 8 * 1024 * 1024;

let scene: FleetScene;

beforeAll(async () => {
  scene = await FleetScene.open();
});
afterAll(() => FleetScene.closeAll());

/** Waits a time that is part of the experiment, not a guess about somebody else's speed. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function onRedis(work: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(scene.redis.url);
  await work(client).finally(() => client.disconnect());
}

/** Breaks Redis in the middle of a load. @returns what is left, and the longest time in which no line ended */
async function survived(name: string, fault: (load: FleetLoad) => Promise<unknown>) {
  const before = scene.losses;
  const load = scene.load();
  await waitFor('the load', async () => load.history.lists.length > 5 && load.runs.length > 0);
  const since = await scene.now();
  await fault(load);
  const back = load.history.lists.length;
  await waitFor('lists after it', async () => load.history.lists.length > back + 10);
  await load.stop();
  const found = await scene.findings();
  const gapMs = await scene.longestGap(since);
  const { ms } = await scene.one<{ ms: number }>(
    'SELECT (max(extract(epoch FROM started_at - created_at)) * 1000)::int AS ms FROM jobs.jobs WHERE created_at > $1',
    [since],
  );
  figure(
    `fleet, Redis ${name}: no line ended for ${gapMs} ms at most, longest wait for a start ${ms} ms, longest answer ${Math.round(load.longestMs)} ms; ${load.history.lists.length} lists and ${load.runs.length} runs accepted, answers ${JSON.stringify(load.told)}`,
  );
  // Redis answers no request: nobody is refused or cut off for want of it.
  const refused = Object.entries(load.told).filter(([status]) => !['200', '202'].includes(status));
  return { gapMs, waitMs: ms, left: { found, refused, losses: scene.losses - before } };
}

const RIGHT = { found: {}, refused: [], losses: 0 };

const FAULTS: ReadonlyArray<readonly [string, (load: FleetLoad) => Promise<unknown>]> = [
  [
    `emptied at a third of ${LINES} lines`,
    async (load) => {
      const { n: before } = await ended();
      await load.sendLines(THIRD, 'slow-1s');
      await waitFor('a third of the lines', async () => (await ended()).n - before >= THIRD);
      // What is sent while nobody takes it is in the queue when that is emptied.
      const [worker] = scene.processesOf('worker');
      process.kill(worker!.pid, 'SIGSTOP');
      try {
        await load.sendLines(LINES - THIRD, 'slow-1s');
        await onRedis((client) => client.flushall());
      } finally {
        process.kill(worker!.pid, 'SIGCONT');
      }
      const all = 'SELECT count(*)::int AS n FROM jobs.jobs WHERE completed_at IS NULL';
      await waitFor(
        'the rest to end',
        async () => (await scene.one<{ n: number }>(all)).n < THIRD,
        GAP_MAX_MS,
      );
    },
  ],
  [
    'started again without data',
    async () => {
      await scene.redis.end();
      await scene.redis.begin();
    },
  ],
  [
    `standing still for ${FROZEN_MS / 1000} s`,
    async () => {
      scene.redis.freeze();
      await pause(FROZEN_MS);
      scene.redis.resume();
    },
  ],
  [
    `gone for ${GONE_MS / 1000} s`,
    async () => {
      await scene.redis.end();
      await pause(GONE_MS);
      await scene.redis.begin();
    },
  ],
  [
    'cut off for 20 s, connections dead for ever',
    async () => {
      await scene.redisProxy.set({ kind: 'black-hole', heals: 'never' });
      await pause(20_000);
      await scene.redisProxy.set({ kind: 'pass' });
    },
  ],
  ['full', full],
];

const ended = () =>
  scene.one<{ n: number }>('SELECT count(*)::int AS n FROM jobs.jobs WHERE completed_at IS NOT NULL');

/** Keeps Redis at its limit, which evicts nothing, while lists come in. */
async function full(load: FleetLoad): Promise<void> {
  await onRedis(async (client) => {
    await client.config('SET', 'maxmemory', FULL_BYTES);
    let refusals = 0;
    const least = load.history.lists.length + 20;
    // What other lines free is taken at once.
    for (let piece = 0; load.history.lists.length < least; piece += 1)
      await client.set(`ballast:${piece}`, 'x'.repeat(20_000)).catch(() => (refusals += 1));
    expect(refusals).toBeGreaterThan(0);
    await client.config('SET', 'maxmemory', 0);
    await client.del(...(await client.keys('ballast:*')));
  });
}

describe('a fleet whose Redis is', () => {
  it.each(FAULTS)(
    '%s goes on by what PostgreSQL says, refuses nobody, and loses no line',
    async (name, fault) => {
      const { gapMs, waitMs, left } = await survived(name, fault);
      expect(left).toEqual(RIGHT);
      expect(Math.max(gapMs, waitMs)).toBeLessThan(GAP_MAX_MS);
    },
  );
});
