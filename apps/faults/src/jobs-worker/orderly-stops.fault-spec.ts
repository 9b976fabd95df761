import { afterEach, describe, expect, it } from '@jest/globals';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { itStopsInOrder } from './orderly-stops.fixture.js';
import { FaultScene } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

const DRAIN_MS = 120_000;
/** Milliseconds after a second signal. Usually a third of a second; without the signal the drain time passes. */
const GONE_WITHIN_MS = 30_000;

describe('workers that are shutting down', () => {
  itStopsInOrder(4);

  it('twice hand their unfinished jobs back at once, and exit normally', async () => {
    const scene = await FaultScene.open({ backend: 'postgres' });
    const patient = await scene.startWorker({ env: { DRAIN_MS: String(DRAIN_MS) } });
    await scene.send(scene.heldPeople(5));
    await scene.until("state = 'running'", 5);
    await waitFor('the calls', () => Promise.resolve(scene.vendor.calls.length === 5));
    const exit = patient.stop('SIGTERM');
    // Two signals within a second count as one key press.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const pressedAt = performance.now();
    await patient.stop('SIGTERM');
    const goneMs = performance.now() - pressedAt;
    scene.vendor.override = 'ok';
    const leased = await scene.count('lease_until IS NOT NULL');
    printMeasurement(`a second SIGTERM: gone after ${Math.round(goneMs)} ms, ${leased} leases left`);
    expect({ exit: await exit, leased }).toEqual({ exit: 0, leased: 0 });
    expect(goneMs).toBeLessThan(GONE_WITHIN_MS);
    await scene.startWorker();
    await scene.allEnded();
    expect(await scene.states()).toEqual({ completed: 5 });
    await scene.queueIsEmpty();
    expect(await scene.close()).toEqual({});
  });
});
