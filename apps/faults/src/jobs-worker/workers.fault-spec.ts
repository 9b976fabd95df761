import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { Redis } from 'ioredis';
import { itRunsLinesAgain } from './workers.fixture.js';
import { BACKENDS, FaultScene, onBoth, openAccepting, SHORT_LEASE_MS } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

/** Milliseconds, long enough that nothing here runs again because a lease has expired. */
const LONG_LEASE_MS = 120_000;
/** Milliseconds from the hand-back until lines run again. Usually 2.5 s; otherwise the lease would have to expire. */
const AGAIN_WITHIN_MS = 30_000;

describe('workers on both kinds of queue', () => {
  itRunsLinesAgain(SHORT_LEASE_MS);

  it('that are shutting down hand back their lines, and others continue at once', () =>
    onBoth(async (backend) => {
      const scene = await FaultScene.open({ backend, leaseMs: LONG_LEASE_MS });
      const leaving = await scene.startWorker();
      await scene.send(scene.heldPeople(10));
      await scene.until("state = 'running'", 10);
      await scene.startWorker();
      const exit = await leaving.stop('SIGTERM');
      const leased = await scene.count('lease_token IS NOT NULL');
      const backAt = performance.now();
      await scene.until('attempt = 2', 10);
      const againMs = performance.now() - backAt;
      printMeasurement(
        `worker asked to stop (${backend}): its 10 lines running again ${Math.round(againMs)} ms after they were handed back`,
      );
      expect({ exit, leased }).toEqual({ exit: 0, leased: 0 });
      expect(againMs).toBeLessThan(AGAIN_WITHIN_MS);
      await waitFor('the searches', () => Promise.resolve(scene.vendor.openCalls === 10));
      scene.vendor.release();
      await scene.allEnded();
      await scene.queueIsEmpty();
      expect(await scene.close()).toEqual({});
    }));

  it('claim a batch whose delivery was lost after its commit', () =>
    onBoth(async (backend) => {
      const scene = await FaultScene.open({ backend });
      await scene.startWorker();
      const silent = await openAccepting(scene.test.database, {
        addMessages: () => Promise.resolve(),
      } as never);
      await silent.batches.createBatch(scene.ctx, { service: 'getEmail', inputs: scene.people(5) });
      const committedAt = performance.now();
      // Without the reconciler it would never be delivered.
      await scene.until('claims > 0', 5);
      const claimedMs = performance.now() - committedAt;
      printMeasurement(
        `enqueue lost after its commit (${backend}): claimed after ${Math.round(claimedMs)} ms`,
      );
      await silent.close();
      await scene.allEnded();
      await scene.queueIsEmpty();
      expect(await scene.close()).toEqual({});
    }));

  it('work once on a line that is delivered fifty times, on its own queue and on another', () =>
    onBoth(async (backend) => {
      const scene = await FaultScene.open({ backend });
      await Promise.all([scene.startWorker(), scene.startWorker()]);
      await scene.send(scene.people(1));
      const { id } = await scene.one<{ id: string }>('SELECT id FROM audit.own_lines');
      const messages = Array.from({ length: 25 }, () => ({ jobIds: [id] }));
      await scene.queues.addMessages('service-get-email', messages);
      await scene.queues.addMessages('service-get-phone-number', messages);
      await scene.allEnded();
      await scene.queueIsEmpty();
      printMeasurement(
        `one line delivered 50 times more (${backend}): ${scene.vendor.calls.length} call, no message left`,
      );
      expect(scene.vendor.calls).toHaveLength(1);
      expect(await scene.one('SELECT attempt, claims FROM audit.own_lines')).toEqual({
        attempt: 1,
        claims: 1,
      });
      expect(await scene.close()).toEqual({});
    }));
});

describe.each(BACKENDS)(
  'a thousand concurrent batches on a balance for 137 lines, queues on %s',
  (backend) => {
    it('get holds for exactly 137', async () => {
      const scene = await FaultScene.open({ backend, credits: 137 });
      await Promise.all([scene.startWorker(), scene.startWorker()]);
      const outcomes: string[] = [];
      const sendOne = () =>
        scene.accept.batches.createBatch(scene.ctx, { service: 'getEmail', inputs: scene.people(1) }).then(
          () => 'accepted',
          (error: unknown) => (error instanceof AppError ? error.code : String(error)),
        );
      for (let i = 0; i < 1000; i += 50)
        outcomes.push(...(await Promise.all(Array.from({ length: 50 }, sendOne))));
      await scene.allEnded();
      await scene.queueIsEmpty();
      const { completed, failed = 0 } = await scene.states();
      printMeasurement(
        `1,000 lists on a balance for 137 lines (${backend}): ${completed} held and completed`,
      );
      expect(outcomes.filter((each) => !['accepted', 'insufficient_credits'].includes(each))).toEqual([]);
      expect(completed).toBe(137);
      expect(137 + failed).toBe(outcomes.filter((each) => each === 'accepted').length);
      expect(await scene.close()).toEqual({});
    });
  },
);

describe('workers whose queue loses everything', () => {
  it('end all lines after Redis was flushed', async () => {
    const scene = await FaultScene.open({ backend: 'redis' });
    await scene.startWorker();
    // A worker takes 50 messages of 25 lines at once: the others are still in Redis when it is emptied.
    for (let i = 0; i < 20; i += 1) await scene.send(scene.heldPeople(100));
    await scene.until("state = 'running'", 600);
    const waiting = await scene.count("state = 'queued'");
    const client = new Redis(scene.queueUrl);
    await client.flushall();
    client.disconnect();
    const flushedAt = performance.now();
    scene.vendor.override = 'ok';
    scene.vendor.release();
    // Without the reconciler they would never end.
    await scene.allEnded();
    const tookMs = performance.now() - flushedAt;
    const gap = await scene.one<{ ms: number }>(
      `SELECT max(extract(epoch FROM gap) * 1000)::int AS ms
       FROM (SELECT completed_at - lag(completed_at) OVER (ORDER BY completed_at) AS gap FROM audit.own_lines) g`,
    );
    printMeasurement(
      `Redis flushed with ${waiting} of 2,000 lines waiting in it: all ended ${Math.round(tookMs)} ms later, longest gap between two ends ${gap.ms} ms`,
    );
    expect(waiting).toBeGreaterThan(500);
    expect(await scene.states()).toEqual({ completed: 2000 });
    await scene.queueIsEmpty();
    expect(await scene.close()).toEqual({});
  });
});
