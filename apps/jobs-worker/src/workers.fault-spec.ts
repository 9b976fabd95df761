import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import { SeededRandom } from '@quarry/testing';
import { figure } from '@quarry/test-servers';
import { Redis } from 'ioredis';
import { BACKENDS, FaultScene, onBoth, openAccepting } from './spec-kit.js';

afterEach(() => FaultScene.closeAll(), 60_000);

/** The product's own, in the tests that show its promises. */
const LEASE_MS = 30_000;
/** Lines run again this long after their worker's death at the latest: lease, then the reconciler's round. */
const RECOVERY_MS = 45_000;
/** A killed worker's message comes back when its lock has ended (60 s) and the queue has looked (30 s). */
const MESSAGE_BACK_MS = 110_000;

describe('workers, on both kinds of queue', () => {
  it(
    'that are killed in the middle of their calls lose no line and charge none twice',
    () =>
      onBoth(async (backend) => {
        const scene = await FaultScene.open({ backend, leaseMs: LEASE_MS });
        const victim = await scene.startWorker();
        await scene.send(scene.people(40, 3));
        await scene.until("state = 'running'", 20);
        await victim.stop('SIGKILL');
        const killedAt = performance.now();
        await scene.startWorker();
        await scene.until('attempt = 2', 1, RECOVERY_MS);
        const againMs = performance.now() - killedAt;
        await scene.allEnded(60_000);
        const most = await scene.one('SELECT max(attempt) AS attempt FROM audit.own_lines');
        const doubles = await scene.doubleCharges();
        figure(
          `worker killed in its calls (${backend}): running again after ${Math.round(againMs)} ms, lease 30 s, double charges ${doubles}`,
        );
        expect(await scene.states()).toEqual({ completed: 40 });
        expect({ most, doubles }).toEqual({ most: { attempt: 2 }, doubles: 0 });
        expect(againMs).toBeLessThan(RECOVERY_MS);
        expect(await scene.close()).toEqual({});
      }),
    150_000,
  );

  it(
    'that are asked to stop hand their lines back, and others go on within five seconds',
    () =>
      onBoth(async (backend) => {
        const scene = await FaultScene.open({ backend, leaseMs: LEASE_MS });
        const leaving = await scene.startWorker();
        await scene.send(scene.people(10, 15));
        await scene.until("state = 'running'", 10);
        await scene.startWorker();
        const exit = await leaving.stop('SIGTERM');
        const leased = await scene.count('lease_token IS NOT NULL');
        const backAt = performance.now();
        await scene.until('attempt = 2', 10, 20_000);
        const againMs = performance.now() - backAt;
        figure(
          `worker asked to stop (${backend}): its 10 lines running again ${Math.round(againMs)} ms after they were handed back`,
        );
        expect({ exit, leased }).toEqual({ exit: 0, leased: 0 });
        expect(againMs).toBeLessThan(5000);
        await scene.allEnded(40_000);
        await scene.queueIsEmpty();
        expect(await scene.close()).toEqual({});
      }),
    120_000,
  );

  it(
    'claim a list whose delivery was lost after its commit within 15 seconds',
    () =>
      onBoth(async (backend) => {
        const scene = await FaultScene.open({ backend });
        await scene.startWorker();
        const silent = await openAccepting(scene.test.database, {
          add: () => Promise.resolve(),
        } as never);
        await silent.batches.create(scene.ctx, { service: 'getEmail', inputs: scene.people(5) });
        const committedAt = performance.now();
        await scene.until('claims > 0', 5, 30_000);
        const claimedMs = performance.now() - committedAt;
        figure(`enqueue lost after its commit (${backend}): claimed after ${Math.round(claimedMs)} ms`);
        await silent.close();
        expect(claimedMs).toBeLessThan(15_000);
        await scene.allEnded(10_000);
        await scene.queueIsEmpty();
        expect(await scene.close()).toEqual({});
      }),
    60_000,
  );

  it(
    'work once on a line that is delivered fifty times, on its own queue and on another',
    () =>
      onBoth(async (backend) => {
        const scene = await FaultScene.open({ backend });
        await Promise.all([scene.startWorker(), scene.startWorker()]);
        await scene.send(scene.people(1));
        const { id } = await scene.one<{ id: string }>('SELECT id FROM audit.own_lines');
        const messages = Array.from({ length: 25 }, () => ({ jobIds: [id] }));
        await scene.queues.add('service-get-email', messages);
        await scene.queues.add('service-get-phone-number', messages);
        await scene.allEnded(20_000);
        await scene.queueIsEmpty();
        figure(
          `one line delivered 50 times more (${backend}): ${scene.vendor.calls.length} call, no message left`,
        );
        expect(scene.vendor.calls).toHaveLength(1);
        expect(await scene.one('SELECT attempt, claims FROM audit.own_lines')).toEqual({
          attempt: 1,
          claims: 1,
        });
        expect(await scene.close()).toEqual({});
      }),
    60_000,
  );

  it(
    'killed at random while lists keep coming end every line exactly once, and leave no message',
    () =>
      onBoth(async (backend) => {
        const scene = await FaultScene.open({ backend });
        const random = SeededRandom.of('killed workers, at random');
        await Promise.all([scene.startWorker(), scene.startWorker(), scene.startWorker()]);
        const KILLS = 6;
        for (let kill = 0; kill < KILLS; kill += 1) {
          for (let list = 0; list < 4; list += 1) await scene.send(scene.people(25, 1));
          await scene.until("state = 'running'", 20);
          await scene.workers.splice(random.below(scene.workers.length), 1)[0]!.stop('SIGKILL');
          await scene.startWorker();
        }
        await scene.allEnded(60_000);
        const states = await scene.states();
        // Only a line that lost two workers may fail, and it says so.
        const others = await scene.count("state = 'failed' AND error ->> 'code' <> 'worker_lost'");
        const quietAt = performance.now();
        await scene.queueIsEmpty(MESSAGE_BACK_MS);
        figure(
          `${KILLS} workers killed at random (${backend}): ${JSON.stringify(states)}, double charges ${await scene.doubleCharges()}, no message left ${Math.round(performance.now() - quietAt)} ms after the last end, seed ${random.seed}`,
        );
        expect((states.completed ?? 0) + (states.failed ?? 0)).toBe(KILLS * 100);
        expect(others).toBe(0);
        expect(await scene.close()).toEqual({});
      }),
    240_000,
  );
});

describe.each(BACKENDS)('a thousand lists at once on a balance for 137 lines, queues on %s', (backend) => {
  it('hold exactly 137', async () => {
    const scene = await FaultScene.open({ backend, credits: 137 });
    await Promise.all([scene.startWorker(), scene.startWorker()]);
    const outcomes: string[] = [];
    const sendOne = () =>
      scene.accept.batches.create(scene.ctx, { service: 'getEmail', inputs: scene.people(1) }).then(
        () => 'accepted',
        (error: unknown) => (error instanceof AppError ? error.code : String(error)),
      );
    for (let i = 0; i < 1000; i += 50)
      outcomes.push(...(await Promise.all(Array.from({ length: 50 }, sendOne))));
    await scene.allEnded(60_000);
    await scene.queueIsEmpty();
    const { completed, failed = 0 } = await scene.states();
    figure(`1,000 lists on a balance for 137 lines (${backend}): ${completed} held and completed`);
    expect(outcomes.filter((each) => !['accepted', 'insufficient_credits'].includes(each))).toEqual([]);
    expect(completed).toBe(137);
    expect(137 + failed).toBe(outcomes.filter((each) => each === 'accepted').length);
    expect(await scene.close()).toEqual({});
  }, 120_000);
});

describe('workers and a queue that loses everything', () => {
  it('end the lines of a flushed Redis, after a gap of half a minute at most', async () => {
    const scene = await FaultScene.open({ backend: 'redis' });
    await scene.startWorker();
    // A worker takes 50 messages of 25 lines at once: the others are in Redis when it is emptied.
    for (let i = 0; i < 20; i += 1) await scene.send(scene.people(100, 3));
    await scene.until("state = 'running'", 600);
    const waiting = await scene.count("state = 'queued'");
    const client = new Redis(scene.queueUrl);
    await client.flushall();
    client.disconnect();
    const flushedAt = performance.now();
    await scene.allEnded(60_000);
    const tookMs = performance.now() - flushedAt;
    const gap = await scene.one<{ ms: number }>(
      `SELECT max(extract(epoch FROM gap) * 1000)::int AS ms
       FROM (SELECT completed_at - lag(completed_at) OVER (ORDER BY completed_at) AS gap FROM audit.own_lines) g`,
    );
    figure(
      `Redis flushed with ${waiting} of 2,000 lines waiting in it: all ended ${Math.round(tookMs)} ms later, longest gap between two ends ${gap.ms} ms`,
    );
    expect(waiting).toBeGreaterThan(500);
    expect(await scene.states()).toEqual({ completed: 2000 });
    expect(gap.ms).toBeLessThan(30_000);
    await scene.queueIsEmpty();
    expect(await scene.close()).toEqual({});
  }, 120_000);
});
