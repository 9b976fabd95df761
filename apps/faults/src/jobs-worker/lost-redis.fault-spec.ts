import { afterEach, describe, expect, it } from '@jest/globals';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { Redis } from 'ioredis';
import { FaultScene } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

const LISTS = 8;
const LINES = 25;
/** Number of lines. Without Redis the first one ends after ten seconds; the measurement shows the throughput. */
const PACE_LINES = 4000;

/** Opens a scene with two workers in the middle of 200 lines. */
async function midway(redisSettings: string[] = []): Promise<FaultScene> {
  const scene = await FaultScene.open({ backend: 'redis', redisSettings });
  await Promise.all([scene.startWorker(), scene.startWorker()]);
  for (let i = 0; i < LISTS; i += 1) await scene.send(scene.people(LINES, 2));
  await scene.until("state IN ('running', 'completed')", 50);
  return scene;
}

/** Sends as many lines again and waits until all have ended. @returns the time that took, in milliseconds */
async function sendMoreAndWait(scene: FaultScene): Promise<number> {
  const sentAt = performance.now();
  for (let i = 0; i < LISTS; i += 1) await scene.send(scene.people(LINES, 1));
  await scene.allEnded();
  return Math.round(performance.now() - sentAt);
}

const ALL = { completed: 2 * LISTS * LINES };

describe('workers whose Redis', () => {
  it('is restarted empty lose no line', async () => {
    const scene = await midway();
    await scene.redis!.end();
    await scene.redis!.begin();
    const tookMs = await sendMoreAndWait(scene);
    printMeasurement(`Redis started again empty: 200 lines sent after it ended in ${tookMs} ms`);
    expect(await scene.states()).toEqual(ALL);
    await scene.queueCarries();
    expect(await scene.close()).toEqual({});
  });

  it('hangs work from PostgreSQL', async () => {
    const scene = await midway();
    scene.redis!.freeze();
    const tookMs = await sendMoreAndWait(scene);
    scene.redis!.resume();
    await scene.queueIsEmpty();
    printMeasurement(`Redis stood still: 200 lines sent meanwhile ended in ${tookMs} ms`);
    expect(await scene.states()).toEqual(ALL);
    expect(await scene.close()).toEqual({});
  });

  it('is down work from PostgreSQL', async () => {
    const scene = await midway();
    await scene.allEnded();
    const usual = await pace(scene);
    await scene.redis!.end();
    const alone = await pace(scene);
    await scene.redis!.begin();
    printMeasurement(
      `Redis gone: ${PACE_LINES} lines, the first end after ${alone.firstMs} ms, then ${alone.perSecond} a second; with Redis after ${usual.firstMs} ms, ${usual.perSecond} a second`,
    );
    expect(await scene.states()).toEqual({ completed: LISTS * LINES + 2 * PACE_LINES });
    expect(await scene.close()).toEqual({});
  });

  it('is full lose no line, and use it again when it has space', async () => {
    const scene = await midway(['--maxmemory', '8mb', '--maxmemory-policy', 'noeviction']);
    const client = new Redis(scene.redis!.url);
    let isOver = false;
    let refusals = 0;
    // Memory that finished lines free is filled at once.
    const fill = async (): Promise<void> => {
      for (let piece = 0; !isOver && scene.isOpen; piece += 1)
        await client.set(`ballast:${piece}`, 'x'.repeat(20_000)).catch(() => (refusals += 1));
    };
    const filling = fill();
    await waitFor('Redis to be full', async () => refusals > 0);
    const tookMs = await sendMoreAndWait(scene);
    // A finished line frees memory for a moment, which a message may use before the ballast does.
    await waitFor('a message to be refused', () =>
      scene.queues.addMessages('service-get-email', [{ jobIds: ['svcjob_none'] }]).then(
        () => false,
        (error: Error) => /OOM/.test(error.message),
      ),
    );
    isOver = true;
    await filling;
    expect(scene.workers.map(({ hasEnded }) => hasEnded)).toEqual([false, false]);
    const ballast = await client.keys('ballast:*');
    await client.del(...ballast);
    client.disconnect();
    await scene.queueIsEmpty();
    expect(await scene.states()).toEqual(ALL);
    await scene.queueCarries();
    printMeasurement(`Redis full: 200 lines sent meanwhile ended in ${tookMs} ms`);
    expect(await scene.close()).toEqual({});
  });
});

/** Sends lines of one second each. @returns milliseconds until the first end, and the number of ends per second after it */
async function pace(scene: FaultScene): Promise<{ firstMs: number; perSecond: number }> {
  const { at } = await scene.one<{ at: Date }>('SELECT clock_timestamp() AS at');
  for (let i = 0; i < PACE_LINES / 100; i += 1) await scene.send(scene.people(100, 1));
  await scene.allEnded();
  return scene.one(
    `SELECT (extract(epoch FROM min(completed_at) - $1) * 1000)::int AS "firstMs",
       (count(*) / extract(epoch FROM max(completed_at) - min(completed_at)))::int AS "perSecond"
     FROM audit.own_lines WHERE completed_at > $1`,
    [at],
  );
}
