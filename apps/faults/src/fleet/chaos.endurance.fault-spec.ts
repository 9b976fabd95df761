import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { KINDS, type Kind } from './fleet-processes.fixture.js';
import { cut, restart } from './lost-postgres.fixture.js';
import { FleetScene } from './spec-kit.js';

const MINUTES = Number(process.env.ENDURANCE_MINUTES ?? 5);
/** Milliseconds from the end of a fault to the start of the next. */
const PAUSE_MS = 5_000;

/** Waits for a time that is part of the experiment, not a guess about the speed of something else. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let scene: FleetScene;
beforeAll(async () => {
  scene = await FleetScene.open();
});
afterAll(() => FleetScene.closeAll());

describe('a fleet under load with batches, runs and fast calls', () => {
  it(
    'loses nothing, charges nothing twice and answers no 500 while processes are killed and PostgreSQL fails for minutes',
    async () => {
      const random = SeededRandom.of('chaos of a fleet');
      const kill = (kind: Kind) => ({
        name: `kill -9 of ${kind}`,
        lastsMs: 0,
        begin: () => {
          const living = scene.processesOf(kind);
          if (living.length > 0) process.kill(living[random.below(living.length)]!.pid, 'SIGKILL');
        },
        end: () => undefined,
      });
      const faults = [
        ...(Object.keys(KINDS) as Kind[]).map(kill),
        restart('SIGINT'),
        restart('SIGQUIT'),
        { ...cut(), lastsMs: 5_000 },
      ];
      const load = scene.load();
      await waitFor('the load', async () => load.history.lists.length > 5 && load.runs.length > 0);
      load.isOutage = true;
      const endsAt = performance.now() + MINUTES * 60_000;
      const happened: Record<string, number> = {};
      while (performance.now() < endsAt) {
        const { name, lastsMs, begin, end } = faults[random.below(faults.length)]!;
        happened[name] = (happened[name] ?? 0) + 1;
        await begin(scene);
        await pause(lastsMs);
        await end(scene);
        await pause(PAUSE_MS);
      }
      await waitFor('every process to be ready', () => scene.isReady(), 90_000);
      load.isOutage = false;
      await load.stop();
      const { 'not completed': incomplete = [], ...found } = await scene.findings();
      // A line fails when its workers were killed at every attempt; it is not charged.
      const others = (incomplete as Array<{ code: string | null }>).filter(
        ({ code }) => code !== 'worker_lost',
      );
      printMeasurement(
        `chaos, seed ${random.seed}, ${MINUTES} minutes: ${JSON.stringify(happened)}; ${load.history.lists.length} lists, ` +
          `${load.runs.length} runs and ${load.history.callsAnswered} calls acknowledged, answers ${JSON.stringify(load.answers)}`,
      );
      expect([found, others]).toEqual([{}, []]);
      expect(load.answers[500] ?? 0).toBe(0);
    },
    (MINUTES + 10) * 60_000,
  );
});
