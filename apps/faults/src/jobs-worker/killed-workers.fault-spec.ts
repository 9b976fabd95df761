import { afterEach, describe, expect, it } from '@jest/globals';
import type { Failpoint } from '@quarry/service-jobs';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { itKillsAtRandom } from './killed-workers.fixture.js';
import { BACKENDS, FaultScene, type Backend } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

/** Points at which a worker dies, with the expected course of one line until its end. */
const DEATHS: ReadonlyArray<{ at: Failpoint; attempt: number; claims: number; calls: number }> = [
  { at: 'claimed', attempt: 1, claims: 2, calls: 1 },
  { at: 'attempt_committed', attempt: 2, claims: 2, calls: 1 },
  { at: 'provider_sent', attempt: 2, claims: 2, calls: 2 },
  { at: 'provider_answered', attempt: 2, claims: 2, calls: 2 },
  { at: 'before_settle_commit', attempt: 2, claims: 2, calls: 2 },
  { at: 'after_settle_commit', attempt: 1, claims: 1, calls: 1 },
];

/** The first and the last failpoint, and one between: the others do not depend on the queue. */
const AROUND_THE_QUEUE: readonly Failpoint[] = ['claimed', 'provider_sent', 'after_settle_commit'];

async function dieOnce(backend: Backend, death: (typeof DEATHS)[number]) {
  const scene = await FaultScene.open({ backend });
  const { at } = death;
  // The request is sent after that failpoint, so the worker is killed when the vendor has received it.
  const isSearching = at === 'provider_sent';
  const victim = await scene.startWorker({ failpoints: isSearching ? [] : [{ at, action: 'kill' }] });
  await scene.send(isSearching ? scene.heldPeople(1) : scene.people(1, 0));
  if (isSearching) {
    await waitFor('the search', () => Promise.resolve(scene.vendor.calls.length === 1));
    await victim.stop('SIGKILL');
    scene.vendor.override = 'ok';
  }
  await victim.ended();
  const diedAt = performance.now();
  await scene.startWorker();
  if (death.claims > 1) await scene.until(`claims = ${death.claims}`, 1);
  const resumedMs = performance.now() - diedAt;
  await scene.allEnded();
  await scene.deliverAgain();
  const line = await scene.one("SELECT state, attempt, claims FROM audit.own_lines WHERE state <> 'failed'");
  const { spent } = await scene.account();
  const calls = scene.vendor.calls.length;
  const broken = await scene.close();
  return { at, line, calls, spent, broken, resumedMs };
}

describe.each(BACKENDS)('a worker that crashes at a named moment, queues on %s', (backend) => {
  it('leaves a line that another worker ends once, charges once, and calls again at most once', async () => {
    const outcomes: Array<Awaited<ReturnType<typeof dieOnce>>> = [];
    const deaths = backend === 'postgres' ? DEATHS : DEATHS.filter(({ at }) => AROUND_THE_QUEUE.includes(at));
    // Three at a time: with more starting processes than cores, leases would expire by themselves.
    for (let i = 0; i < deaths.length; i += 3)
      outcomes.push(...(await Promise.all(deaths.slice(i, i + 3).map((death) => dieOnce(backend, death)))));
    const slowest = Math.max(...outcomes.map(({ resumedMs }) => resumedMs));
    printMeasurement(
      `killed at ${deaths.length} moments (${backend}): resumed after ${Math.round(slowest)} ms at most, lease 6 s`,
    );
    expect(outcomes).toEqual(
      deaths.map(({ at, attempt, claims, calls }) => ({
        at,
        line: { state: 'completed', attempt, claims },
        calls,
        spent: 1000,
        broken: {},
        resumedMs: expect.any(Number),
      })),
    );
  });
});

describe('workers that keep crashing', () => {
  itKillsAtRandom(8);
});
