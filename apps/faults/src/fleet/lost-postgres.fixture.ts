import { expect } from '@jest/globals';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { isWell, type FleetScene } from './spec-kit.js';

/** Milliseconds. A request takes 10 s at most; on an unnoticed dead connection it would wait a quarter of an hour for TCP. */
const FAILS_WITHIN_MS = 60_000;
/** Milliseconds. Recovery takes a few seconds; without the product's own measures it would never happen. */
const RECOVERS_WITHIN_MS = 90_000;
/** Milliseconds, enough for every connection to be found dead, and for new ones to fail. */
const OUTAGE_MS = 12_000;

/** A fault of PostgreSQL under load. */
export interface PostgresFault {
  name: string;
  lastsMs: number;
  begin: (scene: FleetScene) => Promise<unknown> | void;
  end: (scene: FleetScene) => Promise<unknown> | void;
}

/** Makes PostgreSQL unavailable to the fleet under load. @returns the answers meanwhile, and the recovery times */
async function survived(scene: FleetScene, { name, lastsMs, begin, end }: PostgresFault) {
  const load = scene.load();
  await waitFor('the load', async () => load.history.lists.length > 5 && load.runs.length > 0);
  const before = scene.crashes;
  load.isOutage = true;
  await begin(scene);
  const [whileAway] = await Promise.all([load.ask(), new Promise((resolve) => setTimeout(resolve, lastsMs))]);
  await end(scene);
  const backAt = performance.now();
  const since = await scene.now();
  const answers = () =>
    scene.gateways.map((url) => isWell(`${url}/credits`, { authorization: `Bearer ${scene.apiKey}` }));
  await waitFor('every process to be ready', () => scene.isReady(), RECOVERS_WITHIN_MS);
  await waitFor('answers', async () => (await Promise.all(answers())).every(Boolean), RECOVERS_WITHIN_MS);
  const readyMs = Math.round(performance.now() - backAt);
  const fresh = 'SELECT count(*)::int AS n FROM jobs.jobs WHERE created_at > $1 AND completed_at IS NOT NULL';
  const endsNew = async () => (await scene.one<{ n: number }>(fresh, [since])).n > 0;
  await waitFor('a new line to end', endsNew, RECOVERS_WITHIN_MS);
  const worksMs = Math.round(performance.now() - backAt);
  load.isOutage = false;
  const accepted = load.history.lists.length;
  await waitFor('lists to be accepted', async () => load.history.lists.length > accepted + 3);
  await load.stop();
  const found = await scene.findings();
  const quietMs = Math.round(performance.now() - backAt);
  printMeasurement(
    `fleet, ${name}: longest answer ${Math.round(load.longestMs)} ms, all processes ready ${readyMs} ms and a new line ended ${worksMs} ms after it was back, everything ended after ${quietMs} ms; ${load.history.lists.length} lists and ${load.runs.length} runs accepted, answers ${JSON.stringify(load.answers)}`,
  );
  return {
    unanswered: whileAway.filter((status) => status === 0),
    // An unavailable database is not an unexpected error.
    unexpected: load.answers[500] ?? 0,
    longestMs: load.longestMs,
    found,
    crashes: scene.crashes - before,
  };
}

/**
 * Makes PostgreSQL unavailable to the whole fleet under load, and expects that every request is answered meanwhile, that
 * everything recovers by itself, and that nothing is lost or charged twice.
 */
export async function survivesWithoutPostgres(scene: FleetScene, fault: PostgresFault): Promise<void> {
  const { longestMs, ...left } = await survived(scene, fault);
  expect(left).toEqual({ unanswered: [], unexpected: 0, found: {}, crashes: 0 });
  expect(longestMs).toBeLessThan(FAILS_WITHIN_MS);
}

/** @param signal SIGINT is a fast shutdown, SIGQUIT an immediate one, which requires crash recovery */
export const restart = (signal: 'SIGINT' | 'SIGQUIT'): PostgresFault => ({
  name: `PostgreSQL restarted by ${signal}`,
  lastsMs: 0,
  begin: async (scene) => {
    const ended = new Promise<void>((resolve) => scene.server.onLost(() => resolve()));
    process.kill(scene.server.pid, signal);
    await ended;
  },
  end: (scene) => scene.restartServer(),
});

/** @param heals `never`: existing connections stay dead, as after a failover */
export const cut = (heals?: 'never'): PostgresFault => ({
  name: heals ? 'connections dead for ever, server elsewhere after 12 s' : 'connections dead for 12 s',
  lastsMs: OUTAGE_MS,
  begin: (scene) => scene.postgresProxy.set({ kind: 'black-hole', ...(heals ? { heals } : {}) }),
  end: (scene) => scene.postgresProxy.set({ kind: 'pass' }),
});
