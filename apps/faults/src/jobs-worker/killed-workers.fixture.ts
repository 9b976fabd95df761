import { expect, it } from '@jest/globals';
import type { Failpoint } from '@quarry/service-jobs';
import { SeededRandom } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { BACKENDS, FaultScene } from './spec-kit.js';

const PLACES = 3;
const POINTS: readonly Failpoint[] = [
  'claimed',
  'attempt_committed',
  'provider_sent',
  'provider_answered',
  'before_settle_commit',
  'after_settle_commit',
];

/** Declares the test that kills at least so many workers at random points while batches are sent. */
export function itKillsAtRandom(least: number): void {
  // A kill takes two seconds.
  const limitMs = least * 60_000;
  it.each(BACKENDS)(
    'charge no line twice, whenever they crash, queues on %s',
    async (backend) => {
      const scene = await FaultScene.open({ backend });
      const random = SeededRandom.of('killed workers');
      const from = performance.now();
      let kills = 0;
      const isOver = (): boolean => kills >= least || !scene.isOpen;
      /** Runs one slot of the fleet: each dead worker is replaced by another. */
      const place = async (): Promise<void> => {
        while (!isOver()) {
          const action = { at: random.pick(POINTS), action: 'kill', hit: 1 + random.below(30) } as const;
          // The worker may take a line, and die of it, before its first output is written.
          const worker = await scene.spawnWorker({ failpoints: [action] });
          const isGone = () => Promise.resolve(worker.hasEnded || isOver());
          await waitFor('the worker to die', isGone, limitMs);
          if (worker.hasEnded) kills += 1;
        }
      };
      const feed = async (): Promise<void> => {
        while (!isOver()) {
          await scene.send(scene.people(1 + random.below(25), 0));
          const areFew = async () => (await scene.count("state = 'queued'")) < 60;
          await waitFor('lines to be worked on', async () => isOver() || areFew(), limitMs);
        }
      };
      await Promise.all([...Array.from({ length: PLACES }, place), feed()]);
      const tookMs = performance.now() - from;
      await Promise.all(scene.workers.map((worker) => worker.stop('SIGKILL')));
      await scene.startWorker();
      await scene.allEnded();
      const states = await scene.states();
      const failures = await scene.all<{ code: string }>(
        "SELECT DISTINCT error ->> 'code' AS code FROM audit.own_lines WHERE state = 'failed'",
      );
      const doubles = await scene.doubleCharges();
      const calls = scene.vendor.calls.length;
      printMeasurement(
        `killed at random moments (${backend}): ${kills} kills in ${Math.round(tookMs / 1000)} s, ${JSON.stringify(states)}, ${calls} vendor calls, double charges ${doubles}, seed ${random.seed}`,
      );
      const broken = await scene.close();
      expect(doubles).toBe(0);
      // A line may fail only because it lost two workers, with that code.
      expect(failures.filter(({ code }) => code !== 'worker_lost')).toEqual([]);
      expect(broken).toEqual({});
    },
    limitMs,
  );
}
