import { afterEach, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { OWN_CANARY } from '@quarry/testing';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { BACKENDS, GatewayScene } from './spec-kit.js';

afterEach(() => GatewayScene.closeAll());

const LAST_WORDS = 'lastwords';
const list = ['one', 'two', 'three'].map((name) => ({
  first_name: `${LAST_WORDS} ${name}`,
  last_name: OWN_CANARY,
  domain: 'ok.vendor.test',
}));

describe.each(BACKENDS)(
  'services killed between the commit of a batch and its enqueue, queues on %s',
  (backend) => {
    it('leave the batch complete; a worker finds it, and its idempotency key returns it', async () => {
      const scene = await GatewayScene.open({ gateways: 1, backend });
      await scene.startWorker();
      // No other process answers for batches in this scene.
      scene.watch.isOutage = true;
      const dying = await scene.startServices({
        failpoints: [{ at: 'after_batch_commit_before_relay', action: 'kill', line: LAST_WORDS }],
      });
      const first = await scene.watch.own.send('lost', list);
      await dying.ended();
      const diedAt = performance.now();
      const committed = await lines(scene);
      // Without the reconciler they would never be delivered.
      await waitFor(
        'every line to be claimed',
        async () => (await lines(scene)).every(({ claims }) => claims > 0),
        120_000,
      );
      const claimedMs = performance.now() - diedAt;
      await scene.startServices();
      scene.watch.isOutage = false;
      const again = await scene.watch.own.send('lost', list);
      await waitFor('every line to end', async () =>
        (await lines(scene)).every(({ state }) => state === 'completed'),
      );
      printMeasurement(
        `services killed between commit and enqueue (${backend}): list of ${committed.length} whole, claimed after ${Math.round(claimedMs)} ms, first answer ${first.status}, second ${again.status}`,
      );
      expect(first.outcome).toBe('unknown');
      expect(committed).toHaveLength(list.length);
      expect(again.outcome).toBe('ok');
      expect(await lines(scene)).toHaveLength(list.length);
      expect(await scene.close()).toEqual({});
    });
  },
);

function lines(scene: GatewayScene): Promise<Array<{ state: string; claims: number }>> {
  return scene.test.database.query(
    systemCtx('spec', scene.orgId),
    'SELECT state, claims FROM jobs.jobs WHERE org_id = $1',
    [scene.orgId],
  );
}
