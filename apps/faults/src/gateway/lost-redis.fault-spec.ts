import { afterEach, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { ApiClient } from '@quarry/testing';
import { printMeasurement, OwnRedis } from '@quarry/test-servers';
import { GatewayScene } from './spec-kit.js';

let redis: OwnRedis | null = null;
afterEach(async () => {
  await GatewayScene.closeAll();
  await redis?.stop();
  redis = null;
});

/** Number of POST /v1/runs per minute, a tenth of the usual budget. */
const BUDGET = 3;
const ASKED = 10;
/** Milliseconds. The first request after the loss waits for one timeout, half a second; waiting for Redis would never end. */
const SLOWEST_MS = 20_000;

describe('gateways that lose the Redis for their rate limits', () => {
  it('continue without it at once, each with its own limits', async () => {
    const scene = await GatewayScene.open({ gateways: 1 });
    redis = await OwnRedis.start();
    const env = { REDIS_URL: redis.url, RATE_LIMIT_SCALE: '0.1' };
    const urls = [(await scene.startGateway(env)).url, (await scene.startGateway(env)).url];
    let slowestMs = 0;
    /** Uses a new organisation, so that all counts start at zero. @returns the number of requests that each gateway admitted */
    const admitted = async (name: string): Promise<number[]> => {
      const { apiKey } = await createOrganisation(scene.test.database, { name, credits: 1 });
      const counts = [0, 0];
      for (let i = 0; i < ASKED; i += 1) {
        const at = i % 2;
        const askedAt = performance.now();
        const { status } = await new ApiClient(urls[at]!, apiKey).post('/v1/runs', {});
        slowestMs = Math.max(slowestMs, performance.now() - askedAt);
        // The body is invalid: an admitted request gets 400.
        expect([400, 429]).toContain(status);
        if (status === 400) counts[at]! += 1;
      }
      return counts;
    };
    const before = await admitted('Before');
    await redis.end();
    const without = await admitted('Without');
    printMeasurement(
      `limits without their Redis: ${JSON.stringify(before)} of ${ASKED} admitted by two gateways before, ${JSON.stringify(without)} without it, slowest answer ${Math.round(slowestMs)} ms`,
    );
    expect(before[0]! + before[1]!).toBe(BUDGET);
    expect(without).toEqual([BUDGET, BUDGET]);
    expect(slowestMs).toBeLessThan(SLOWEST_MS);
    expect(await scene.close()).toEqual({});
  });
});
