import { afterEach, describe, expect, it } from '@jest/globals';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { BACKENDS, FaultScene, LINES_TIMEOUT_MS } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

const HOUR = 3600;
/**
 * Condition of a lease of 6 s that ends by another clock: those differ by at least 2 min. An expired lease may be renewed late
 * on a busy machine.
 */
const STRANGE =
  "lease_until NOT BETWEEN clock_timestamp() - interval '60 seconds' AND clock_timestamp() + interval '7 seconds'";

describe.each(BACKENDS)('workers with wrong clocks, queues on %s', (backend) => {
  it('steal no lease and let none last too long: only the clock of PostgreSQL counts', async () => {
    const scene = await FaultScene.open({ backend });
    const clocks = [HOUR, -HOUR, 120, -120];
    await Promise.all(clocks.map((clockAheadSeconds) => scene.startWorker({ clockAheadSeconds })));
    // Longer than a lease, so that each is renewed; several batches, so that every worker gets some.
    for (let i = 0; i < 8; i += 1) await scene.send(scene.people(10, 8));
    await scene.until("state = 'running'", 80);
    let strange = 0;
    await waitFor(
      'every line to end',
      async () => {
        strange = Math.max(strange, await scene.count(STRANGE));
        return (await scene.count("state IN ('queued', 'running')")) === 0;
      },
      LINES_TIMEOUT_MS,
    );
    const stolen = await scene.audit.stolenLeases();
    printMeasurement(
      `clocks ±1 h and ±2 min (${backend}): of 80 leases ${strange} of a strange length, ${stolen} stolen`,
    );
    const states = await scene.states();
    const broken = await scene.close();
    expect({ states, stolen, strange }).toEqual({ states: { completed: 80 }, stolen: 0, strange: 0 });
    expect(broken).toEqual({});
  });
});
