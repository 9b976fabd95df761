import { afterEach, describe, expect, it } from '@jest/globals';
import { figure, waitFor } from '@quarry/test-servers';
import { FaultScene, onBoth } from './spec-kit.js';

afterEach(() => FaultScene.closeAll(), 60_000);

const STOPS = 10;

describe('workers that are asked to stop', () => {
  it(
    'ten times in a row, with a long line in hand, lose no line and add no attempt beyond those that called',
    () =>
      onBoth(async (backend) => {
        const scene = await FaultScene.open({ backend });
        // One call at a time: whichever line waits for its turn has a start and no call.
        const start = () => scene.startWorker({ env: { VENDOR_CONCURRENCY: '1' } });
        let worker = await start();
        await scene.send(scene.people(3, 6));
        const exits: Array<number | null> = [];
        for (let stop = 1; stop <= STOPS; stop += 1) {
          await waitFor('a call', () => Promise.resolve(scene.vendor.calls.length >= stop), 30_000);
          const next = await start();
          exits.push(await worker.stop('SIGTERM'));
          worker = next;
        }
        await scene.allEnded(60_000);
        const lines = await scene.all<{ state: string; attempt: number; calls: number }>(
          'SELECT id, state, attempt FROM audit.own_lines',
        );
        const attempts = lines.reduce((sum, { attempt }) => sum + attempt, 0);
        figure(
          `orderly stops (${backend}): ${STOPS} in a row with 3 lines, states ${JSON.stringify(await scene.states())}, ${attempts} attempts for ${scene.vendor.calls.length} calls`,
        );
        expect(exits).toEqual(Array(STOPS).fill(0));
        expect(lines.map(({ state }) => state)).toEqual(Array(3).fill('completed'));
        expect(attempts).toBe(scene.vendor.calls.length);
        await scene.queueIsEmpty();
        expect(await scene.close()).toEqual({});
      }),
    180_000,
  );

  it('twice hand back at once what they would have waited for, and end well', async () => {
    const scene = await FaultScene.open({ backend: 'postgres' });
    const patient = await scene.startWorker({ env: { DRAIN_MS: '120000' } });
    await scene.send(scene.people(5, 6));
    await scene.until("state = 'running'", 5);
    await waitFor('the calls', () => Promise.resolve(scene.vendor.calls.length === 5));
    const exit = patient.stop('SIGTERM');
    // Two signals within a second are one press.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const pressedAt = performance.now();
    await patient.stop('SIGTERM');
    const goneMs = performance.now() - pressedAt;
    const leased = await scene.count('lease_until IS NOT NULL');
    figure(`a second SIGTERM: gone after ${Math.round(goneMs)} ms, ${leased} leases left`);
    expect({ exit: await exit, leased }).toEqual({ exit: 0, leased: 0 });
    expect(goneMs).toBeLessThan(3000);
    await scene.startWorker();
    await scene.allEnded(40_000);
    expect(await scene.states()).toEqual({ completed: 5 });
    await scene.queueIsEmpty();
    expect(await scene.close()).toEqual({});
  }, 90_000);
});
