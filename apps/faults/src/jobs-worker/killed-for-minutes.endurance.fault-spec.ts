import { afterEach, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { FaultScene, onBoth } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

const LISTS = 200;
const LINES = 50;
const WORKERS = 3;
const MINUTES = Number(process.env.ENDURANCE_MINUTES ?? 5);

/** Waits for a time that is part of the experiment, not a guess about the speed of something else. */
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('workers that are killed at random for minutes', () => {
  it(
    'complete ten thousand lines exactly once, and the ledger agrees to the last thousandth',
    () =>
      onBoth(async (backend) => {
        const scene = await FaultScene.open({ backend, sampleEveryMs: 1000 });
        const random = SeededRandom.of('killed workers, for minutes');
        printMeasurement(
          `endurance (${backend}): seed ${random.seed}, ${LISTS} lists of ${LINES}, ${MINUTES} minutes`,
        );
        const endsAt = performance.now() + MINUTES * 60_000;
        let kills = 0;
        const feed = async (): Promise<void> => {
          for (let list = 0; list < LISTS; list += 1) {
            await scene.send([...scene.people(LINES - 10, 0), ...scene.people(10, 1 + random.below(3))]);
            await pause((MINUTES * 60_000) / LISTS / 1.1);
          }
        };
        const killer = async (): Promise<void> => {
          while (performance.now() < endsAt) {
            await pause(random.below(8000));
            const victim = scene.workers.splice(random.below(scene.workers.length), 1)[0]!;
            await victim.stop('SIGKILL');
            kills += 1;
            await scene.startWorker();
          }
        };
        for (let i = 0; i < WORKERS; i += 1) await scene.startWorker();
        await Promise.all([feed(), killer()]);
        await scene.allEnded(480_000);
        await waitFor('the vendor to be quiet', async () => scene.vendor.openCalls === 0);
        const states = await scene.states();
        const { spent } = await scene.account();
        const codes = await scene.all<{ code: string }>(
          "SELECT DISTINCT error ->> 'code' AS code FROM audit.own_lines WHERE state = 'failed'",
        );
        const doubles = await scene.doubleCharges();
        printMeasurement(
          `endurance (${backend}): ${kills} kills, ${JSON.stringify(states)}, ${scene.vendor.calls.length} vendor calls, ${spent} thousandths spent, double charges ${doubles}`,
        );
        expect((states.completed ?? 0) + (states.failed ?? 0)).toBe(LISTS * LINES);
        expect(codes.filter(({ code }) => code !== 'worker_lost')).toEqual([]);
        expect(spent).toBe(1000 * (states.completed ?? 0));
        expect(doubles).toBe(0);
        expect(await scene.close()).toEqual({});
      }),
    (MINUTES + 5) * 60_000,
  );
});
