import { expect, it } from '@jest/globals';
import { OWN_CANARY } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { GatewayScene } from './spec-kit.js';

/** Maximum milliseconds that reads are held. */
export const HELD_MS = 60_000;
/** Milliseconds until a stopping gateway has answered held reads. Usually half a second; otherwise the full hold time. */
const ANSWERED_WITHIN_MS = HELD_MS / 3;

const person = (n: number) => ({ first_name: `H${n}`, last_name: OWN_CANARY, domain: 'ok.vendor.test' });

/** Creates batches of one line that no worker takes yet. @returns their ids */
export async function accept(from: GatewayScene, lists: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < lists; i += 1) {
    const { batchId, status } = await from.watch.own.send(`list-${i}`, [person(i)]);
    expect(status).toBe(202);
    ids.push(batchId!);
  }
  return ids;
}

/** Declares the test that replaces gateways so many times, each with 200 held reads. */
export function itAnswersHeldReads({ restarts }: { restarts: number }): void {
  it(`are answered at once by a gateway that is shutting down, ${restarts} times in a row`, async () => {
    const scene = await GatewayScene.open({ gateways: 2 });
    const { gateways } = scene;
    const [batchId] = await accept(scene, 1);
    const waitsMs: number[] = [];
    const statuses = new Map<number, number>();
    const exits: Array<number | null> = [];
    const exitMs: number[] = [];
    const polled = new Map<number, number>();
    let isOver = false;
    // A load balancer removes a gateway before it is stopped, so polls reach the others.
    const poll = async (): Promise<void> => {
      // The loop also ends when the scene of a failed test is closed.
      while (!isOver && scene.isOpen) {
        const { status } = await scene
          .client(gateways.at(-1))
          .get(`/v1/services/jobs/batch/${batchId}`)
          .catch(() => ({ status: 0 }));
        polled.set(status, (polled.get(status) ?? 0) + 1);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const polling = poll();
    for (let i = 0; i < restarts; i += 1) {
      const leaving = gateways.shift()!;
      const held = await scene.hold(
        leaving.url,
        Array.from({ length: 200 }, () => batchId!),
      );
      const askedAt = performance.now();
      const exit = leaving.app.stop('SIGTERM');
      for (const answer of await Promise.all(held)) {
        waitsMs.push(answer.atMs - askedAt);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
      exits.push(await exit);
      exitMs.push(Math.round(performance.now() - askedAt));
      gateways.push(await scene.startGateway());
    }
    isOver = true;
    await polling;
    const slowest = Math.max(...waitsMs);
    printMeasurement(
      `gateway restarts: ${restarts} with 200 held reads each, answered within ${Math.round(slowest)} ms, gone within ${Math.max(...exitMs)} ms, statuses ${JSON.stringify([...statuses])} (0 is a reset), polls ${JSON.stringify([...polled])}`,
    );
    expect([...statuses]).toEqual([[200, 200 * restarts]]);
    expect([...polled.keys()]).toEqual([200]);
    expect(exits).toEqual(Array(restarts).fill(0));
    expect(slowest).toBeLessThan(ANSWERED_WITHIN_MS);
    expect(await scene.close()).toEqual({});
  });
}
