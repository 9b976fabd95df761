import { expect } from '@jest/globals';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { Redis } from 'ioredis';
import type { FleetLoad } from './fleet-load.fixture.js';
import type { FleetScene } from './spec-kit.js';

/** Milliseconds. It takes 5 to 18 s. A line that is not found without Redis waits until Redis is back, or for ever. */
const GAP_MAX_MS = 90_000;
const LINES = 200;
const THIRD = 67;
/** Key of BullMQ's list of waiting messages; its first part is the namespace of the product's queues. */
const WAITING = 'quarry_queue:service-get-email:wait';

/** A fault of Redis under load. */
export interface RedisFault {
  name: string;
  happen: (scene: FleetScene, load: FleetLoad) => Promise<unknown>;
}

export async function onRedis(scene: FleetScene, work: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(scene.redis.url);
  await work(client).finally(() => client.disconnect());
}

/** Fault in which Redis is emptied while messages wait in it, because no worker takes them. */
export const EMPTIED: RedisFault = {
  name: `emptied at a third of ${LINES} lines`,
  happen: async (scene, load) => {
    const count = async (condition: string) =>
      (
        await scene.one<{ n: number }>(
          `SELECT count(*)::int AS n FROM jobs.jobs WHERE completed_at ${condition}`,
        )
      ).n;
    const before = await count('IS NOT NULL');
    await load.sendLines(THIRD, 'slow-1s');
    await waitFor('a third of the lines', async () => (await count('IS NOT NULL')) - before >= THIRD);
    const [worker] = scene.processesOf('worker');
    process.kill(worker!.pid, 'SIGSTOP');
    try {
      await load.sendLines(LINES - THIRD, 'slow-1s');
      await onRedis(scene, async (client) => {
        // Otherwise no message would be lost.
        const waiting = async () => (await client.llen(WAITING)) > 0;
        await waitFor('messages to wait in Redis', waiting);
        await client.flushall();
      });
    } finally {
      process.kill(worker!.pid, 'SIGCONT');
    }
    await waitFor('the rest to end', async () => (await count('IS NULL')) < THIRD, GAP_MAX_MS);
  },
};

/**
 * Breaks Redis under load, and expects that no request is refused because of it, that work continues from the state in
 * PostgreSQL, and that nothing is lost or charged twice.
 */
export async function survivesWithoutRedis(scene: FleetScene, { name, happen }: RedisFault): Promise<void> {
  const before = scene.crashes;
  const load = scene.load();
  await waitFor('the load', async () => load.history.lists.length > 5 && load.runs.length > 0);
  const since = await scene.now();
  await happen(scene, load);
  const back = load.history.lists.length;
  await waitFor('lists after it', async () => load.history.lists.length > back + 10);
  await load.stop();
  const found = await scene.findings();
  const gapMs = await scene.longestGap(since);
  const { ms: waitMs } = await scene.one<{ ms: number }>(
    'SELECT (max(extract(epoch FROM started_at - created_at)) * 1000)::int AS ms FROM jobs.jobs WHERE created_at > $1',
    [since],
  );
  printMeasurement(
    `fleet, Redis ${name}: no line ended for ${gapMs} ms at most, longest wait for a start ${waitMs} ms, longest answer ${Math.round(load.longestMs)} ms; ${load.history.lists.length} lists and ${load.runs.length} runs accepted, answers ${JSON.stringify(load.answers)}`,
  );
  const refused = Object.entries(load.answers).filter(([status]) => !['200', '202'].includes(status));
  expect({ found, refused, crashes: scene.crashes - before }).toEqual({ found: {}, refused: [], crashes: 0 });
  expect(Math.max(gapMs, waitMs)).toBeLessThan(GAP_MAX_MS);
}
