import { afterEach, describe, expect, it } from '@jest/globals';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { FaultScene, LINES_TIMEOUT_MS, onBoth, type Backend } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

const GIVEN_UP = 'the search is given up';
const DROPPED = 'its answer is dropped';

/** Suspends a worker beyond its lease, and resumes it while another one works on its lines: only the token distinguishes them. */
async function sleepThrough(backend: Backend, at: 'provider_sent' | 'before_settle_commit', message: string) {
  const scene = await FaultScene.open({ backend });
  const isSearching = at === 'provider_sent';
  const failpoints = isSearching ? [] : [{ at, action: 'stop', hit: 1 } as const];
  const zombie = await scene.startWorker({ failpoints });
  await scene.send(scene.heldPeople(5));
  await waitFor('the searches', () => Promise.resolve(scene.vendor.calls.length === 5));
  // Suspended with all of its searches in progress, or with the first response received.
  if (isSearching) zombie.freeze();
  else scene.vendor.release();
  await scene.startWorker();
  const otherSearches = () => Promise.resolve(scene.vendor.calls.length === 10);
  await waitFor('the searches of the other', otherSearches, LINES_TIMEOUT_MS);
  zombie.resume();
  await zombie.printed(message);
  scene.vendor.release();
  // It works again like any other worker.
  await scene.send(scene.people(20, 0));
  await scene.allEnded();
  const stale = await scene.audit.staleWrites();
  const states = await scene.states();
  const attempts = await scene.one('SELECT max(attempt) AS most, max(claims) AS claims FROM audit.own_lines');
  return { stale, states, attempts, broken: await scene.close() };
}

describe('a worker that was suspended beyond its lease', () => {
  it('gives up its search by its own clock', () =>
    onBoth(async (backend) => {
      const { stale, states, attempts, broken } = await sleepThrough(backend, 'provider_sent', GIVEN_UP);
      expect(states).toEqual({ completed: 25 });
      expect(attempts).toEqual({ most: 2, claims: 2 });
      expect(stale).toEqual({ offered: 0, accepted: 0 });
      expect(broken).toEqual({});
    }));

  it('cannot write its result, and logs that', () =>
    onBoth(async (backend) => {
      const { stale, states, broken } = await sleepThrough(backend, 'before_settle_commit', DROPPED);
      printMeasurement(
        `stopped past its lease (${backend}): stale writes offered ${stale.offered}, accepted ${stale.accepted}`,
      );
      expect(states).toEqual({ completed: 25 });
      expect(stale.offered).toBeGreaterThan(0);
      expect(stale.accepted).toBe(0);
      expect(broken).toEqual({});
    }));
});
