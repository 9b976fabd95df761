import { afterEach, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { FaultScene, onBoth } from './spec-kit.js';
import { itRunsLinesAgain } from './workers.fixture.js';

afterEach(() => FaultScene.closeAll());

/** Lease length of the product in milliseconds. */
const LEASE_MS = 30_000;
const KILLS = 6;
/** Milliseconds. A killed worker's message comes back after its lock (60 s) and the next check of the queue (30 s), or never. */
const MESSAGE_BACK_MS = 400_000;

describe('workers on both kinds of queue', () => {
  itRunsLinesAgain(LEASE_MS);

  it('killed at random while batches arrive end every line exactly once, and leave no message', () =>
    onBoth(async (backend) => {
      const scene = await FaultScene.open({ backend });
      const random = SeededRandom.of('killed workers, at random');
      await Promise.all([scene.startWorker(), scene.startWorker(), scene.startWorker()]);
      for (let kill = 0; kill < KILLS; kill += 1) {
        for (let list = 0; list < 4; list += 1) await scene.send(scene.people(25, 1));
        await scene.until("state = 'running'", 20);
        await scene.workers.splice(random.below(scene.workers.length), 1)[0]!.stop('SIGKILL');
        await scene.startWorker();
      }
      await scene.allEnded();
      const states = await scene.states();
      // A line may fail only because it lost two workers, with that code.
      const others = await scene.count("state = 'failed' AND error ->> 'code' <> 'worker_lost'");
      const quietAt = performance.now();
      await scene.queueIsEmpty(MESSAGE_BACK_MS);
      printMeasurement(
        `${KILLS} workers killed at random (${backend}): ${JSON.stringify(states)}, double charges ${await scene.doubleCharges()}, no message left ${Math.round(performance.now() - quietAt)} ms after the last end, seed ${random.seed}`,
      );
      expect((states.completed ?? 0) + (states.failed ?? 0)).toBe(KILLS * 100);
      expect(others).toBe(0);
      expect(await scene.close()).toEqual({});
    }));
});
