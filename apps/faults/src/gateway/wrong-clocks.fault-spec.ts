import { afterEach, describe, expect, it } from '@jest/globals';
import { createOrganisation } from '@quarry/composition';
import { IdentityStore } from '@quarry/identity';
import { systemCtx } from '@quarry/app';
import { ApiClient, JumpingClock } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { GatewayScene } from './spec-kit.js';

const clocks: JumpingClock[] = [];
afterEach(async () => {
  await GatewayScene.closeAll();
  for (const clock of clocks.splice(0)) clock.remove();
});

const HOUR = 3600;
const RATE_WINDOW_MS = 60_000;
const ADDRESS_WINDOW_MS = 10_000;
/** Maximum length of a window as a multiple of its own; with a jumping clock it would be an hour, or zero. */
const WINDOWS_MAX = 5;
/** Milliseconds. A key is cached for 4 s; by a clock that was set back two hours it would be admitted for two hours. */
const REVOKED_WITHIN_MS = 60_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a separate gateway with a tenth of every budget, whose clock is an hour ahead. */
async function gatewayOf(scene: GatewayScene): Promise<{ url: string; clock: JumpingClock }> {
  const clock = new JumpingClock(HOUR);
  clocks.push(clock);
  const { url } = await scene.startGateway({ RATE_LIMIT_SCALE: '0.1' }, { clock });
  return { url, clock };
}

/** Sends requests until they are rate-limited, lets the clock jump back and forth, and waits until one is admitted again. */
async function limited(ask: () => Promise<{ status: number }>, everyMs: number, clock: JumpingClock) {
  const beganAt = performance.now();
  let admitted = 0;
  while ((await ask()).status !== 429) {
    admitted += 1;
    await pause(everyMs);
  }
  clock.set(-HOUR);
  await ask();
  clock.set(-2 * HOUR);
  const jumps = [HOUR, -HOUR, 120, -120];
  for (let n = 0; (await ask()).status === 429; n += 1) {
    clock.set(jumps[n % jumps.length]!);
    await pause(Math.max(everyMs, 100));
  }
  return { admitted, openAgainMs: performance.now() - beganAt };
}

describe('gateways with wrong and jumping clocks', () => {
  it('reset their rate limits on time, and refuse a revoked key in time', async () => {
    const scene = await GatewayScene.open({ gateways: 1 });
    const { database } = scene.test;
    const { apiKey, orgId } = await createOrganisation(database, { name: 'Clocks', credits: 10 });
    const ctx = systemCtx('spec', orgId);
    const identity = new IdentityStore(database);
    const { keyId, apiKey: revoked } = await identity.createKey(ctx, { orgId, mode: 'live' });

    const ofRate = async () => {
      const { url, clock } = await gatewayOf(scene);
      const api = new ApiClient(url, apiKey);
      // This class allows three requests per minute; the requests stay below the address limit of ten in ten seconds.
      return limited(() => api.post('/v1/runs', {}), 1050, clock);
    };
    const ofAddress = async () => {
      const { url, clock } = await gatewayOf(scene);
      return limited(() => new ApiClient(url, 'none').get('/credits'), 0, clock);
    };
    const ofKey = async () => {
      const { url, clock } = await gatewayOf(scene);
      const api = new ApiClient(url, revoked);
      expect((await api.get('/credits')).status).toBe(200);
      await identity.revokeKey(ctx, keyId);
      const revokedAt = performance.now();
      clock.set(-HOUR);
      while ((await api.get('/credits')).status !== 401) await pause(500);
      return performance.now() - revokedAt;
    };
    const [rate, address, refusedMs] = await Promise.all([ofRate(), ofAddress(), ofKey()]);
    printMeasurement(
      `gateways with jumping clocks: rate window open again after ${Math.round(rate.openAgainMs)} ms (${rate.admitted} admitted), address window after ${Math.round(address.openAgainMs)} ms (${address.admitted}), revoked key refused after ${Math.round(refusedMs)} ms`,
    );
    expect({ ofRate: rate.admitted, ofAddress: address.admitted }).toEqual({ ofRate: 3, ofAddress: 10 });
    for (const [{ openAgainMs }, windowMs] of [
      [rate, RATE_WINDOW_MS],
      [address, ADDRESS_WINDOW_MS],
    ] as const) {
      expect(openAgainMs).toBeGreaterThan(windowMs * 0.95);
      expect(openAgainMs).toBeLessThan(windowMs * WINDOWS_MAX);
    }
    expect(refusedMs).toBeLessThan(REVOKED_WITHIN_MS);
    expect(await scene.close()).toEqual({});
  });
});
