import { afterEach, describe, expect, it } from '@jest/globals';
import { printMeasurement, TcpFaultProxy, waitFor } from '@quarry/test-servers';
import { FaultScene, LINES_TIMEOUT_MS, onBoth, SHORT_LEASE_MS, type Backend } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

/** Disconnects a worker from PostgreSQL during its vendor calls, and reconnects it later. */
async function cutOff(fault: 'black-hole' | 'reset', backend: Backend) {
  const scene = await FaultScene.open({ backend });
  const proxy = await TcpFaultProxy.before(scene.test.url);
  const lonely = await scene.startWorker({ databaseUrl: proxy.through(scene.test.url) });
  await scene.send(scene.heldPeople(5));
  await waitFor('the vendor to be asked', async () => scene.vendor.calls.length === 5);
  // The next worker is running before the lines become free.
  await scene.startWorker();
  await proxy.set({ kind: fault });
  const cutAt = performance.now();
  const areAskedAgain = async () => scene.vendor.calls.length === 10;
  await waitFor('the lines to be asked for again', areAskedAgain, LINES_TIMEOUT_MS);
  const [own, others] = [scene.vendor.calls.slice(0, 5), scene.vendor.calls.slice(5)];
  // A socket is closed shortly after its search; the next call follows at least one round of the reconciler later.
  const left = own.map(({ outcome }) => outcome);
  const gaveUpMs = Math.max(...own.map(({ endedAt }) => endedAt ?? Infinity)) - cutAt;
  const isBefore = own.every(({ searchId, endedAt }) =>
    others.some((other) => other.searchId === searchId && endedAt !== null && endedAt < other.startedAt),
  );
  await proxy.set({ kind: 'pass' });
  scene.vendor.release();
  await scene.allEnded();
  // The disconnected worker works again, on searches of its own.
  await scene.workers.pop()!.stop('SIGKILL');
  await scene.send(scene.people(5, 0));
  await scene.allEnded();
  const stale = await scene.audit.staleWrites();
  const states = await scene.states();
  await lonely.stop('SIGKILL');
  await proxy.close();
  return { gaveUpMs, left, isBefore, stale, states, broken: await scene.close() };
}

describe('a worker that loses PostgreSQL during a vendor call', () => {
  it.each(['black-hole', 'reset'] as const)(
    'by a %s gives up its searches before another worker can claim them, writes nothing late, and recovers',
    (fault) =>
      onBoth(async (backend) => {
        const { gaveUpMs, left, isBefore, stale, states, broken } = await cutOff(fault, backend);
        printMeasurement(
          `cut off by ${fault} (${backend}): calls given up after ${Math.round(gaveUpMs)} ms of a lease of ${SHORT_LEASE_MS} ms, stale writes accepted ${stale.accepted}`,
        );
        expect(left).toEqual(Array(5).fill('left'));
        expect(isBefore).toBe(true);
        expect(stale.accepted).toBe(0);
        expect(states).toEqual({ completed: 10 });
        expect(broken).toEqual({});
      }),
  );
});
