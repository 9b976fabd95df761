import { afterEach, describe, expect, it } from '@jest/globals';
import type { CrashPoint } from '@quarry/service-jobs';
import { SeededRandom } from '@quarry/testing';
import { figure, waitFor } from '@quarry/test-servers';
import { BACKENDS, FaultScene, SHORT_RECOVERY_MS, type Backend } from './spec-kit.js';

afterEach(() => FaultScene.closeAll(), 60_000);

/** Where a worker dies, and what one line then went through until its end. */
const DEATHS: ReadonlyArray<{
  at: CrashPoint;
  ms?: number;
  attempt: number;
  claims: number;
  calls: number;
}> = [
  { at: 'claimed', attempt: 1, claims: 2, calls: 1 },
  { at: 'attempt_committed', attempt: 2, claims: 2, calls: 1 },
  { at: 'provider_sent', ms: 200, attempt: 2, claims: 2, calls: 2 },
  { at: 'provider_answered', attempt: 2, claims: 2, calls: 2 },
  { at: 'before_settle_commit', attempt: 2, claims: 2, calls: 2 },
  { at: 'after_settle_commit', attempt: 1, claims: 1, calls: 1 },
];

async function dieOnce(backend: Backend, death: (typeof DEATHS)[number]) {
  const scene = await FaultScene.open({ backend });
  const { at, ms } = death;
  const victim = await scene.startWorker({ crashes: [{ at, action: 'kill', ...(ms ? { ms } : {}) }] });
  await scene.send(scene.people(1, 1));
  await victim.ended();
  const diedAt = performance.now();
  await scene.startWorker();
  if (death.claims > 1) await scene.until(`claims = ${death.claims}`, 1, SHORT_RECOVERY_MS);
  const resumedMs = performance.now() - diedAt;
  await scene.allEnded(SHORT_RECOVERY_MS);
  await scene.deliverAgain();
  const line = await scene.one("SELECT state, attempt, claims FROM audit.own_lines WHERE state <> 'failed'");
  const { spent } = await scene.account();
  const calls = scene.vendor.calls.length;
  const broken = await scene.close();
  return { at, line, calls, spent, broken, resumedMs };
}

describe.each(BACKENDS)('a worker that dies at a named moment, queues on %s', (backend) => {
  it('leaves a line that another worker ends once, charges once, and calls for again at most once', async () => {
    const outcomes: Array<Awaited<ReturnType<typeof dieOnce>>> = [];
    // Three at a time: more starting processes than cores would let leases run out by themselves.
    for (let i = 0; i < DEATHS.length; i += 3)
      outcomes.push(...(await Promise.all(DEATHS.slice(i, i + 3).map((death) => dieOnce(backend, death)))));
    const slowest = Math.max(...outcomes.map(({ resumedMs }) => resumedMs));
    figure(
      `killed at ${DEATHS.length} moments (${backend}): resumed after ${Math.round(slowest)} ms at most, lease 6 s`,
    );
    expect(outcomes).toEqual(
      DEATHS.map(({ at, attempt, claims, calls }) => ({
        at,
        line: { state: 'completed', attempt, claims },
        calls,
        spent: 1000,
        broken: {},
        resumedMs: expect.any(Number),
      })),
    );
  }, 120_000);
});

describe('workers that keep dying', () => {
  it.each(BACKENDS)(
    'charge no line twice, whichever moments they die at, queues on %s',
    async (backend) => {
      const scene = await FaultScene.open({ backend });
      const random = SeededRandom.of('killed workers');
      const points = DEATHS.map(({ at }) => at);
      const until = performance.now() + 60_000;
      let kills = 0;
      /** One place in the fleet: as soon as its worker is dead, another takes it. */
      const place = async (): Promise<void> => {
        while (performance.now() < until) {
          const plan = { at: random.pick(points), action: 'kill', hit: 1 + random.below(30) } as const;
          const worker = await scene.startWorker({ crashes: [plan] });
          await waitFor(
            'the worker to die',
            async () => worker.hasEnded || performance.now() > until,
            70_000,
          );
          if (worker.hasEnded) kills += 1;
        }
      };
      const feed = async (): Promise<void> => {
        while (performance.now() < until) {
          await scene.send(scene.people(1 + random.below(25), 0));
          await waitFor(
            'lines to be worked on',
            async () => (await scene.count("state = 'queued'")) < 60 || performance.now() > until,
            70_000,
          );
        }
      };
      await Promise.all([place(), place(), place(), feed()]);
      await Promise.all(scene.workers.map((worker) => worker.stop('SIGKILL')));
      await scene.startWorker();
      await scene.allEnded(60_000);
      const states = await scene.states();
      const failures = await scene.all<{ code: string }>(
        "SELECT DISTINCT error ->> 'code' AS code FROM audit.own_lines WHERE state = 'failed'",
      );
      const doubles = await scene.doubleCharges();
      const calls = scene.vendor.calls.length;
      figure(
        `killed at random moments (${backend}): ${kills} kills in 60 s, ${JSON.stringify(states)}, ${calls} vendor calls, double charges ${doubles}, seed ${random.seed}`,
      );
      const broken = await scene.close();
      expect(doubles).toBe(0);
      expect(kills).toBeGreaterThan(10);
      // Only a line that lost two workers may fail, and it says so.
      expect(failures.filter(({ code }) => code !== 'worker_lost')).toEqual([]);
      expect(broken).toEqual({});
    },
    200_000,
  );
});
