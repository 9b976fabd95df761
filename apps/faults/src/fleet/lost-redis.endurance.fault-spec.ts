import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EMPTIED, onRedis, survivesWithoutRedis, type RedisFault } from './lost-redis.fixture.js';
import { FleetScene } from './spec-kit.js';

const FROZEN_MS = 60_000;
const GONE_MS = 120_000;
const CUT_OFF_MS = 20_000;
/** Bytes: many times what the queues of this load need, but soon filled with ballast. */
const FULL_BYTES = 8 * 1024 * 1024;

let scene: FleetScene;

beforeAll(async () => {
  scene = await FleetScene.open();
});
afterAll(() => FleetScene.closeAll());

/** Waits for a time that is part of the experiment, not a guess about the speed of something else. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const FAULTS: readonly RedisFault[] = [
  EMPTIED,
  {
    name: 'started again without data',
    happen: async ({ redis }) => {
      await redis.end();
      await redis.begin();
    },
  },
  {
    name: `standing still for ${FROZEN_MS / 1000} s`,
    happen: async ({ redis }) => {
      redis.freeze();
      await pause(FROZEN_MS);
      redis.resume();
    },
  },
  {
    name: `gone for ${GONE_MS / 1000} s`,
    happen: async ({ redis }) => {
      await redis.end();
      await pause(GONE_MS);
      await redis.begin();
    },
  },
  {
    name: `cut off for ${CUT_OFF_MS / 1000} s, connections dead for ever`,
    happen: async ({ redisProxy }) => {
      await redisProxy.set({ kind: 'black-hole', heals: 'never' });
      await pause(CUT_OFF_MS);
      await redisProxy.set({ kind: 'pass' });
    },
  },
  {
    name: 'full, and evicts nothing',
    happen: (_, load) =>
      onRedis(scene, async (client) => {
        await client.config('SET', 'maxmemory', FULL_BYTES);
        let refusals = 0;
        const least = load.history.lists.length + 20;
        // Memory that finished lines free is filled at once.
        for (let piece = 0; load.history.lists.length < least; piece += 1)
          await client.set(`ballast:${piece}`, 'x'.repeat(20_000)).catch(() => (refusals += 1));
        expect(refusals).toBeGreaterThan(0);
        await client.config('SET', 'maxmemory', 0);
        await client.del(...(await client.keys('ballast:*')));
      }),
  },
];

describe('a fleet whose Redis is', () => {
  it.each(FAULTS)('$name: works from PostgreSQL, refuses nobody, and loses no line', (fault) =>
    survivesWithoutRedis(scene, fault),
  );
});
