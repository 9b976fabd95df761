import { afterEach, expect, it } from '@jest/globals';
import { parseResource, WEBHOOKS_RPC } from '@quarry/dto';
import { SecretsModule } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import { printMeasurement, status, waitFor, WebhookReceiver } from '@quarry/test-servers';
import { WebhooksApiModule, WebhooksModule } from '@quarry/webhooks';
import { FaultScene, LINES_TIMEOUT_MS, onBoth, type Backend } from './spec-kit.js';

const ENCRYPTION_KEYS = 's'.repeat(32);
const EVENTS = 20;
/** Number of concurrent requests to one webhook. */
const AT_ONCE = 4;

afterEach(() => FaultScene.closeAll());

/** Kills the only worker of a webhook while the receiver has messages to which it does not respond. */
async function killBetweenSendAndSettle(backend: Backend) {
  const scene = await FaultScene.open({ backend });
  const receiver = await WebhookReceiver.start();
  const { rpc, close } = await openLocalCalls({
    database: scene.test.database,
    cursorSecret: ENCRYPTION_KEYS,
    modules: [
      SecretsModule.forRoot([ENCRYPTION_KEYS]),
      WebhooksModule.forRoot({ allowHosts: [receiver.host] }),
      WebhooksApiModule,
    ],
    apis: [WEBHOOKS_RPC],
  });
  const body = { url: receiver.url(), types: ['run.completed'] };
  const { id } = parseResource(await rpc.call(scene.ctx, WEBHOOKS_RPC.create, { body }));
  const startSender = () =>
    scene.startWorker({
      env: { WORKER_QUEUES: 'webhook-delivery', ENCRYPTION_KEYS, FETCH_ALLOW_HOSTS: receiver.host },
    });
  const victim = await startSender();
  receiver.reply = () => undefined;
  await scene.all(
    "SELECT events.record_event($1, 'live', 'run_' || n, 'run.completed', '{}') FROM generate_series(1, $2::int) n",
    [scene.ctx.orgId, EVENTS],
  );
  await waitFor('messages without an answer', () => Promise.resolve(receiver.received.length === AT_ONCE));
  await victim.stop('SIGKILL');
  const killedAt = performance.now();
  const unanswered = receiver.idsAt('/');
  receiver.reply = status(204);
  await startSender();
  const delivered = () =>
    scene.one<{ n: number; attempts: number }>(
      `SELECT count(*)::int AS n, max(attempts) AS attempts FROM webhooks.deliveries
       WHERE endpoint_id = $1 AND state = 'delivered'`,
      [id],
    );
  await waitFor(
    'every event to be delivered',
    async () => (await delivered()).n === EVENTS,
    LINES_TIMEOUT_MS,
  );
  const resumedMs = receiver.received[AT_ONCE]!.at - killedAt;
  const bodies = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body]));
  const isSame = receiver.received.every(({ headers, body }) => bodies.get(headers['webhook-id']) === body);
  const ids = receiver.idsAt('/');
  const { attempts } = await delivered();
  await close();
  await receiver.stop();
  const broken = await scene.close();
  return { unanswered, ids, isSame, attempts, resumedMs, broken };
}

it('a worker killed between sending and settling a webhook loses nothing: another sends again with the same ids', () =>
  onBoth(async (backend) => {
    const { unanswered, ids, isSame, attempts, resumedMs, broken } = await killBetweenSendAndSettle(backend);
    printMeasurement(`from the kill to the next message, queues on ${backend}: ${Math.round(resumedMs)} ms`);
    expect(new Set(ids).size).toBe(EVENTS);
    expect(new Set(unanswered).size).toBe(AT_ONCE);
    for (const id of new Set(ids))
      expect([id, ids.filter((each) => each === id).length]).toEqual([id, unanswered.includes(id) ? 2 : 1]);
    expect([isSame, attempts]).toEqual([true, 1]);
    expect(broken).toEqual({});
  }));
