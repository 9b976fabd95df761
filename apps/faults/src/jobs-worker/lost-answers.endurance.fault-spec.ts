import { afterEach, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { BACKENDS, FaultScene } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

/** Number of lines whose worker is killed between the vendor's response and their settlement. */
const LOST = 10_000;
const PLACES = 3;
const LINES = 100;
/** Number of waiting lines, so that each worker dies with as many lines as it can take. */
const BACKLOG = 3000;
/** Milliseconds, longer than the life of any worker here. */
const NEVER_MS = 600_000;

describe.each(BACKENDS)('workers killed with unsaved answers, queues on %s', (backend) => {
  it('lose ten thousand of them, and charge none twice', async () => {
    const scene = await FaultScene.open({ backend, credits: 1_000_000, sampleEveryMs: 2000 });
    const random = SeededRandom.of('lost answers');
    let kills = 0;
    let isOver = false;
    const lost = async (): Promise<number> => {
      const answered = scene.vendor.calls.filter(({ outcome }) => outcome === 'answered').length;
      return answered - (await scene.count("state = 'completed'"));
    };
    /** Runs one slot of the fleet: its workers settle a few lines, keep the others in progress, and die. */
    const place = async (): Promise<void> => {
      while (!isOver) {
        const at = random.pick(['provider_answered', 'before_settle_commit'] as const);
        const worker = await scene.startWorker({
          failpoints: [
            { at, action: 'kill', hit: 200 + random.below(700) },
            ...(random.below(4) > 0 ? [{ at, action: 'delay', ms: NEVER_MS } as const] : []),
          ],
        });
        await waitFor('the worker to die', async () => worker.hasEnded || isOver, 600_000);
        if (worker.hasEnded) kills += 1;
      }
    };
    const feed = async (): Promise<void> => {
      while (!isOver) {
        await scene.send(scene.people(LINES, 0));
        await waitFor(
          'workers to take lines',
          async () => {
            isOver = (await lost()) >= LOST;
            return isOver || (await scene.count("state = 'queued'")) < BACKLOG;
          },
          600_000,
        );
      }
    };
    await Promise.all([feed(), ...Array.from({ length: PLACES }, place)]);
    await Promise.all(scene.workers.map((worker) => worker.stop('SIGKILL')));
    const answersLost = await lost();
    await Promise.all([scene.startWorker(), scene.startWorker()]);
    await scene.allEnded(720_000);
    const states = await scene.states();
    const { spent } = await scene.account();
    const doubles = await scene.doubleCharges();
    printMeasurement(
      `killed with answers in hand on ${backend}: ${answersLost} answers lost in ${kills} kills, ${JSON.stringify(states)}, ${scene.vendor.calls.length} vendor calls, double charges ${doubles}, seed ${random.seed}`,
    );
    const codes = await scene.all<{ code: string }>(
      "SELECT DISTINCT error ->> 'code' AS code FROM audit.own_lines WHERE state = 'failed'",
    );
    expect(answersLost).toBeGreaterThanOrEqual(LOST);
    expect(doubles).toBe(0);
    expect(spent).toBe(1000 * (states.completed ?? 0));
    expect(codes.filter(({ code }) => code !== 'worker_lost')).toEqual([]);
    expect(await scene.close()).toEqual({});
  }, 3_600_000);
});
