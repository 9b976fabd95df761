import { afterEach, describe, expect, it } from '@jest/globals';
import { printMeasurement } from '@quarry/test-servers';
import { FaultScene } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

const GONE_MINUTES = Number(process.env.ENDURANCE_MINUTES ?? 5);
const FROZEN_MINUTES = GONE_MINUTES / 5;
const LINES = 25;
/** Maximum milliseconds that a line waits for a worker; usually 18 s and 11 s. A lost line would wait until Redis is back. */
const GONE_WAIT_MAX_MS = 80_000;
const FROZEN_WAIT_MAX_MS = 50_000;

/** Waits for a time that is part of the experiment, not a guess about the speed of something else. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends one batch per second, while Redis is unavailable and for a while afterwards. */
async function withoutRedis(
  minutes: number,
  away: (scene: FaultScene) => unknown,
  back: (scene: FaultScene) => unknown,
) {
  const scene = await FaultScene.open({ backend: 'redis', sampleEveryMs: 1000 });
  await Promise.all([scene.startWorker(), scene.startWorker()]);
  await scene.send(scene.people(LINES, 1));
  await scene.allEnded();
  await away(scene);
  const endsAt = performance.now() + minutes * 60_000;
  let sent = LINES;
  while (performance.now() < endsAt) {
    await scene.send(scene.people(LINES, 1));
    sent += LINES;
    await pause(1000);
  }
  const logged = scene.workers.reduce((sum, { output }) => sum + output.split('\n').length, 0);
  await back(scene);
  await scene.allEnded();
  const waited = await scene.one<{ ms: number }>(
    'SELECT (max(extract(epoch FROM started_at - created_at)) * 1000)::int AS ms FROM audit.own_lines',
  );
  const states = await scene.states();
  await scene.queueCarries();
  const alive = scene.workers.filter(({ hasEnded }) => !hasEnded).length;
  return { sent, waitedMs: waited.ms, logged, states, alive, broken: await scene.close() };
}

describe('workers whose Redis is down for minutes', () => {
  it.each([
    [
      'gone',
      GONE_MINUTES,
      GONE_WAIT_MAX_MS,
      (scene: FaultScene) => scene.redis!.end(),
      (scene: FaultScene) => scene.redis!.begin(),
    ],
    [
      'standing still',
      FROZEN_MINUTES,
      FROZEN_WAIT_MAX_MS,
      (scene: FaultScene) => scene.redis!.freeze(),
      (scene: FaultScene) => scene.redis!.resume(),
    ],
  ] as const)(
    'start every line meanwhile and lose none: Redis %s for %d min',
    async (how, minutes, waitMaxMs, away, back) => {
      const { sent, waitedMs, logged, states, alive, broken } = await withoutRedis(minutes, away, back);
      printMeasurement(
        `Redis ${how} for ${minutes} min: ${sent} lines accepted, ${JSON.stringify(states)}, longest wait for a start ${waitedMs} ms, ${logged} log lines of two workers`,
      );
      expect(states).toEqual({ completed: sent });
      expect(waitedMs).toBeLessThan(waitMaxMs);
      expect(alive).toBe(2);
      expect(broken).toEqual({});
    },
    (GONE_MINUTES + 3) * 60_000,
  );
});
