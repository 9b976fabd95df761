import { afterEach, describe, expect, it } from '@jest/globals';
import { figure, TcpFaultProxy, waitFor } from '@quarry/test-servers';
import { FaultScene, onBoth, SHORT_LEASE_MS, SHORT_RECOVERY_MS, type Backend } from './spec-kit.js';

afterEach(() => FaultScene.closeAll(), 60_000);

/** A worker asks its vendor, loses PostgreSQL for a time, and gets it back. */
async function cutOff(fault: 'black-hole' | 'reset', backend: Backend) {
  const scene = await FaultScene.open({ backend });
  const proxy = await TcpFaultProxy.before(scene.test.url);
  const lonely = await scene.startWorker({ databaseUrl: proxy.through(scene.test.url) });
  await scene.send(scene.people(5, 15));
  await waitFor('the vendor to be asked', async () => scene.vendor.calls.length === 5);
  await proxy.set({ kind: fault });
  const cutAt = performance.now();
  await waitFor('the calls to be given up', async () =>
    scene.vendor.callsOf('slow-15s').every(({ endedAt }) => endedAt !== null),
  );
  const gaveUpMs = Math.max(...scene.vendor.calls.map(({ endedAt }) => endedAt!)) - cutAt;
  const left = scene.vendor.calls.map(({ outcome }) => outcome);
  await scene.startWorker();
  await scene.until('claims = 2', 5, SHORT_RECOVERY_MS);
  await proxy.set({ kind: 'pass' });
  await scene.allEnded(60_000);
  // It works again, and its searches are its own.
  await scene.workers.pop()!.stop('SIGKILL');
  await scene.send(scene.people(5, 0));
  await scene.allEnded(60_000);
  const stale = await scene.audit.staleWrites();
  const states = await scene.states();
  await lonely.stop('SIGKILL');
  await proxy.close();
  return { gaveUpMs, left, stale, states, broken: await scene.close() };
}

describe('a worker that is cut off from PostgreSQL while its vendor is asked', () => {
  it.each(['black-hole', 'reset'] as const)(
    'by a %s gives its searches up by its own clock, writes nothing late, and works again',
    (fault) =>
      onBoth(async (backend) => {
        const { gaveUpMs, left, stale, states, broken } = await cutOff(fault, backend);
        figure(
          `cut off by ${fault} (${backend}): calls given up after ${Math.round(gaveUpMs)} ms of a lease of ${SHORT_LEASE_MS} ms, stale writes accepted ${stale.accepted}`,
        );
        expect(left).toEqual(Array(5).fill('left'));
        expect(gaveUpMs).toBeLessThan(SHORT_LEASE_MS);
        expect(stale.accepted).toBe(0);
        expect(states).toEqual({ completed: 10 });
        expect(broken).toEqual({});
      }),
    150_000,
  );
});
