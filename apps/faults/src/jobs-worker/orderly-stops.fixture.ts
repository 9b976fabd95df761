import { expect, it } from '@jest/globals';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { FaultScene, onBoth } from './spec-kit.js';

/** Declares the test that stops workers so many times in a row, each during a search. */
export function itStopsInOrder(stops: number): void {
  it(`${stops} times in a row, during a long call, lose no line and count only attempts with a call`, () =>
    onBoth(async (backend) => {
      const scene = await FaultScene.open({ backend });
      // One call at a time: a line that waits for its turn has been started, but has made no call.
      const start = () => scene.startWorker({ env: { VENDOR_CONCURRENCY: '1' } });
      let worker = await start();
      await scene.send(scene.heldPeople(3));
      const exits: Array<number | null> = [];
      for (let stop = 1; stop <= stops; stop += 1) {
        await waitFor('a call', () => Promise.resolve(scene.vendor.calls.length >= stop));
        const next = await start();
        exits.push(await worker.stop('SIGTERM'));
        worker = next;
      }
      scene.vendor.override = 'ok';
      scene.vendor.release();
      await scene.allEnded();
      const lines = await scene.all<{ state: string; attempt: number }>(
        'SELECT id, state, attempt FROM audit.own_lines',
      );
      const attempts = lines.reduce((sum, { attempt }) => sum + attempt, 0);
      printMeasurement(
        `orderly stops (${backend}): ${stops} in a row with 3 lines, states ${JSON.stringify(await scene.states())}, ${attempts} attempts for ${scene.vendor.calls.length} calls`,
      );
      expect(exits).toEqual(Array(stops).fill(0));
      expect(lines.map(({ state }) => state)).toEqual(Array(3).fill('completed'));
      expect(attempts).toBe(scene.vendor.calls.length);
      await scene.queueIsEmpty();
      expect(await scene.close()).toEqual({});
    }));
}
