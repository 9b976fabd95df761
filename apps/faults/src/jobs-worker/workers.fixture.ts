import { expect, it } from '@jest/globals';
import { printMeasurement } from '@quarry/test-servers';
import { FaultScene, onBoth } from './spec-kit.js';

/** Declares the test that kills workers during searches; the measurement shows how soon others continue. */
export function itRunsLinesAgain(leaseMs: number): void {
  it('that are killed during their calls lose no line and charge none twice', () =>
    onBoth(async (backend) => {
      const scene = await FaultScene.open({ backend, leaseMs });
      const victim = await scene.startWorker();
      await scene.send(scene.heldPeople(40));
      await scene.until("state = 'running'", 40);
      await victim.stop('SIGKILL');
      const killedAt = performance.now();
      scene.vendor.override = 'ok';
      await scene.startWorker();
      // Without leases and the reconciler they would never run again.
      await scene.until('attempt = 2', 1);
      const againMs = performance.now() - killedAt;
      await scene.allEnded();
      const most = await scene.one('SELECT max(attempt) AS attempt FROM audit.own_lines');
      const doubles = await scene.doubleCharges();
      printMeasurement(
        `worker killed in its calls (${backend}): running again after ${Math.round(againMs)} ms, lease ${leaseMs / 1000} s, double charges ${doubles}`,
      );
      expect(await scene.states()).toEqual({ completed: 40 });
      expect({ most, doubles }).toEqual({ most: { attempt: 2 }, doubles: 0 });
      expect(await scene.close()).toEqual({});
    }));
}
