import { describe, expect, it } from '@jest/globals';
import { JobLeaseStore, type JobEnd } from '@quarry/service-jobs';
import { SeededRandom } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { BACKENDS, FaultScene } from './spec-kit.js';

const LINES = 25;
const LISTS_AT_ONCE = 8;

const FOUND: JobEnd = {
  state: 'completed',
  result: { found: true, email: 'a@b.example', status: 'verified', confidence: 'high', provider: 'race' },
  provider: 'race',
  charge: 1000,
};

/** Yields to other work for a number of turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Declares the race of cancellations against the steps of the stores, in a number of seeded orders. */
export function itRacesCancellations(interleavings: number): void {
  describe.each(BACKENDS)('a cancellation that races with work on its lines, queues on %s', (backend) => {
    it(`ends each line once and settles its hold once, in ${interleavings} orders`, async () => {
      const calls: Array<{ searchId: string }> = [];
      const scene = await FaultScene.open({ backend, sampleEveryMs: 1000, calls: () => calls });
      const random = SeededRandom.of('cancel races');
      const leases = new JobLeaseStore(scene.test.database);
      const believed = { settled: 0, refused: 0, unclaimed: 0 };
      const work = async (id: string, stepped: () => void): Promise<void> => {
        await turns(random.below(30));
        const job = await leases.claimJobs(id);
        stepped();
        if (!job) return void (believed.unclaimed += 1);
        await turns(random.below(30));
        const isStarted = await leases.startJobs(job);
        stepped();
        if (!isStarted) return void (believed.refused += 1);
        calls.push({ searchId: id });
        await turns(random.below(30));
        if (await leases.settleJobs(job, FOUND)) believed.settled += 1;
        else believed.refused += 1;
        stepped();
      };
      /** Cancels after a number of steps, three per line, so that the order does not depend on time. */
      const cancelAfter = (steps: number, batchId: string) => {
        const reached = Promise.withResolvers<void>();
        let left = steps;
        const stepped = (): void => {
          if (left === 0) reached.resolve();
          left -= 1;
        };
        stepped();
        const cancel = async (): Promise<void> => {
          await reached.promise;
          await turns(random.below(30));
          await scene.accept.batches.cancelBatch(scene.ctx, batchId);
        };
        return { stepped, cancelled: cancel() };
      };
      const lists = async (): Promise<void> => {
        for (let i = 0; i < interleavings / LINES / LISTS_AT_ONCE; i += 1) {
          const batchId = await scene.send(scene.people(LINES, 0));
          const jobs = await scene.all<{ id: string }>('SELECT id FROM audit.own_lines WHERE batch_id = $1', [
            batchId,
          ]);
          const { stepped, cancelled } = cancelAfter(random.below(3 * LINES), batchId);
          await Promise.all(jobs.map(({ id }) => work(id, stepped)));
          // Cancelled lines make fewer steps; then the cancellation comes last.
          for (let step = 0; step < 3 * LINES; step += 1) stepped();
          await cancelled;
        }
      };
      await Promise.all(Array.from({ length: LISTS_AT_ONCE }, lists));
      const states = await scene.states();
      const { spent } = await scene.account();
      printMeasurement(
        `cancel against settle (${backend}): ${JSON.stringify(states)}, ${JSON.stringify(believed)}, seed ${random.seed}`,
      );
      expect((states.completed ?? 0) + (states.cancelled ?? 0)).toBe(interleavings);
      expect(states.completed).toBe(believed.settled);
      expect(spent).toBe(1000 * believed.settled);
      // Both sides must have won often, otherwise there was no race.
      expect(Math.min(states.completed ?? 0, states.cancelled ?? 0)).toBeGreaterThan(interleavings / 100);
      expect(await scene.close()).toEqual({});
    });
  });
}
